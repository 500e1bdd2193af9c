/**
 * The files of the workspace that a process reads and writes, open from before its start until after its end: checked
 * once, and the same files even if another process replaces them meanwhile.
 */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import type { Failure } from '../model/failure.ts';
import { ok, type Result } from '../model/result.ts';
import type { OpenFile } from '../process/request.ts';
import { fileFailure, type OpenInsideOptions, openInside, resolveInside } from '../store/safe-path.ts';
import { syncFolder } from '../store/write-whole.ts';

export interface StepFiles {
  readonly stdin?: OpenFile;
  readonly output?: OpenFile;
}

/** Creates the output file, with its parent folders, and truncates it. */
export function openFiles(
  workspace: string,
  wanted: { readonly stdinFile?: string; readonly outputFile?: string },
): Result<StepFiles, Failure> {
  const { stdinFile, outputFile } = wanted;
  const stdin = stdinFile === undefined ? ok({}) : open('stdin', { workspace, path: stdinFile, to: 'read' });
  if (stdin.type === 'error' || outputFile === undefined) return stdin;
  const output = open('output', { workspace, path: outputFile, to: 'write', makeFolders: true });
  if (output.type === 'ok') return ok({ ...stdin.value, ...output.value });
  closeFiles(stdin.value);
  return output;
}

/** The end of a process, as its source reports it. */
interface Ended {
  readonly type: string;
  readonly writeFailure?: Failure;
}

/** The output file is on the disk before its step is reported done (J2). */
export function syncOutput<End extends Ended>({ output }: StepFiles, end: End): End {
  if (output === undefined || end.type !== 'exited' || end.writeFailure !== undefined) return end;
  try {
    fs.fsyncSync(output.descriptor);
    syncFolder(dirname(output.path));
    return end;
  } catch (cause) {
    return { ...end, writeFailure: fileFailure('write', output.path, cause) };
  }
}

export function closeFiles(files: StepFiles): void {
  for (const file of [files.stdin, files.output]) {
    if (file !== undefined) closeFile(file.descriptor);
  }
}

function open(
  name: keyof StepFiles,
  wanted: OpenInsideOptions & { readonly workspace: string; readonly path: string },
): Result<StepFiles, Failure> {
  // First, so that a refusal names the file and not its folder.
  const resolved = resolveInside(wanted.workspace, wanted.path);
  if (resolved.type === 'error') return resolved;
  const opened = openInside(wanted.workspace, wanted.path, wanted);
  if (opened.type === 'error') return opened;
  return ok({ [name]: { path: opened.value.path, descriptor: opened.value.fd } });
}
