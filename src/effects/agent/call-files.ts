import fs from 'node:fs';
import type { StepKey } from '../../model/ids.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { type AgentCallFiles, agentCallFiles, type RunPaths, stepFileStem } from '../../store/layout.ts';
import { makeOneFolder } from '../../store/make-folder.ts';

/**
 * Assigns a call its files and writes its prompt. A repeated attempt keeps its number; a new call gets the next one. Nothing else runs
 * between reading and writing, so parallel branches never get the same number; file system errors are thrown.
 */
export function keepPrompt(
  paths: RunPaths,
  call: { readonly key: StepKey; readonly attempt: number },
  text: string,
): AgentCallFiles {
  makeOneFolder(paths.prompts, 0o700);
  makeOneFolder(paths.responses, 0o700);
  const stem = stepFileStem(call.key, call.attempt);
  const taken = readNames(paths);
  const name = taken.get(stem) ?? `${String(taken.size + 1).padStart(3, '0')}-${stem}`;
  const files = agentCallFiles(paths, name);
  replaceFile(files.prompt, text);
  return files;
}

/** The files of an earlier call, if any. */
export function findCallFiles(
  paths: RunPaths,
  call: { readonly key: StepKey; readonly attempt: number },
): AgentCallFiles | undefined {
  const name = readNames(paths).get(stepFileStem(call.key, call.attempt));
  return name === undefined ? undefined : agentCallFiles(paths, name);
}

/** Stem → name with its number. Prompts are never removed from a run, so their count is the last number. */
function readNames(paths: RunPaths): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (!fs.existsSync(paths.prompts)) return names;
  for (const file of fs.readdirSync(paths.prompts)) {
    const match = /^(\d{3,}-(.+))\.txt$/.exec(file);
    if (match?.[1] !== undefined && match[2] !== undefined) names.set(match[2], match[1]);
  }
  return names;
}
