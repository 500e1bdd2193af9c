import fs from 'node:fs';
import { closeFile } from '../../model/close-file.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { findFiles, sortByBytes } from '../../store/glob.ts';
import { shownGlob } from '../../store/glob-pattern.ts';
import { fileFailure, openInside, readFileInside } from '../../store/safe-path.ts';
import { firstText } from '../capture.ts';
import type { Injection } from '../contracts.ts';
import { readLog } from '../output-log.ts';
import type { PartHere } from '../site-paths.ts';

/** Maximum size of text put before or after a prompt, in bytes. */
const INJECTION_BYTES = 262_144;

export interface ComposedPrompt {
  readonly text: string;
  /** What was injected and what was truncated. */
  readonly injection?: JsonObject;
}

/** Builds the prompt the agent receives. The user's files are read here, literally, and not changed. */
export function composePrompt(
  request: { readonly prompt: readonly PartHere[]; readonly inject?: Injection },
  workspace: string,
): Result<ComposedPrompt, Failure> {
  let text = '';
  for (const part of request.prompt) {
    if (part.type === 'text') {
      text += part.text;
      continue;
    }
    if (part.type === 'log') {
      const output = readLog(workspace, part);
      if (output.type === 'error') return output;
      text += output.value;
      continue;
    }
    const contents = readFileInside(part.root ?? workspace, part.path);
    if (contents.type === 'ok') text += contents.value.toString();
    else if (part.ifMissing !== undefined && isMissing(contents.error)) text += part.ifMissing;
    else return contents;
  }
  if (request.inject === undefined) return ok({ text });
  const injected = inject(request.inject, workspace);
  if (injected.type === 'error') return injected;
  const { block, injection } = injected.value;
  if (block === '') return ok({ text, injection });
  const joined = request.inject.position === 'prepend' ? `${block}\n\n${text}` : `${text}\n\n${block}`;
  return ok({ text: joined, injection });
}

function isMissing(failure: Failure): boolean {
  return failure.type === 'file' && failure.code === 'ENOENT';
}

interface Injected {
  readonly block: string;
  readonly injection: JsonObject;
}

function inject(wanted: Injection, workspace: string): Result<Injected, Failure> {
  const found = new Set<string>();
  const missing: string[] = [];
  for (const [patterns, isRequired] of [
    [wanted.required, true],
    [wanted.optional, false],
  ] as const) {
    for (const pattern of patterns) {
      const files = findFiles(workspace, pattern);
      if (files.type === 'error') return files;
      if (files.value.length === 0 && isRequired) missing.push(shownGlob(pattern));
      for (const file of files.value) found.add(file);
    }
  }
  if (missing.length > 0) return error({ type: 'missing-dependencies', patterns: missing });
  const files = sortByBytes([...found]);
  if (files.length === 0)
    return ok({ block: '', injection: { mode: wanted.mode, files: 0, truncated: false } });
  return wanted.mode === 'list' ? ok(list(wanted, files)) : contents(wanted, files, workspace);
}

function list(wanted: Injection, files: readonly string[]): Injected {
  const instruction = wanted.instruction ?? 'These files belong to the task:';
  const budget = createBudget(instruction);
  for (const file of files) budget.whole(`\n- ${file}`, file);
  return budget.done('list', files.length);
}

function contents(wanted: Injection, files: readonly string[], workspace: string): Result<Injected, Failure> {
  const instruction = wanted.instruction ?? 'These are the files that belong to the task:';
  const budget = createBudget(instruction);
  for (const file of files) {
    const read = readAtMost(workspace, file, budget.left() + 1);
    if (read.type === 'error') return read;
    const { head, bytes } = read.value;
    budget.part(`\n\n--- ${file} (${bytes} bytes) ---\n`, head, { file, bytes });
  }
  return ok(budget.done('content', files.length));
}

/** Adds pieces up to the limit and remembers what did not fit. */
function createBudget(instruction: string): {
  left(): number;
  whole(piece: string, file: string): void;
  part(title: string, head: Buffer, of: { readonly file: string; readonly bytes: number }): void;
  done(mode: string, files: number): Injected;
} {
  let block = firstText(Buffer.from(instruction), INJECTION_BYTES);
  let used = Buffer.byteLength(block);
  const cut: JsonObject[] = [];
  const left = (): number => INJECTION_BYTES - used;
  const add = (piece: string): void => {
    block += piece;
    used += Buffer.byteLength(piece);
  };
  return {
    left,
    whole(piece, file) {
      if (Buffer.byteLength(piece) <= left()) add(piece);
      else cut.push({ file });
    },
    part(title, head, { file, bytes }) {
      if (Buffer.byteLength(title) > left()) {
        cut.push({ file, bytes, shown: 0 });
        return;
      }
      add(title);
      const shown = firstText(head, left());
      add(shown);
      if (Buffer.byteLength(shown) < bytes) cut.push({ file, bytes, shown: Buffer.byteLength(shown) });
    },
    done: (mode, files) => ({
      block,
      injection: { mode, files, bytes: used, truncated: cut.length > 0, ...(cut.length > 0 ? { cut } : {}) },
    }),
  };
}

function readAtMost(
  workspace: string,
  file: string,
  limit: number,
): Result<{ readonly head: Buffer; readonly bytes: number }, Failure> {
  const opened = openInside(workspace, file, { to: 'read' });
  if (opened.type === 'error') return opened;
  const { fd } = opened.value;
  try {
    const bytes = fs.fstatSync(fd).size;
    const head = Buffer.alloc(Math.min(limit + 3, bytes));
    let length = 0;
    for (let read = -1; read !== 0 && length < head.length; length += read) {
      read = fs.readSync(fd, head, length, head.length - length, length);
    }
    return ok({ head: head.subarray(0, length), bytes });
  } catch (cause) {
    return error(fileFailure('read', file, cause));
  } finally {
    closeFile(fd);
  }
}
