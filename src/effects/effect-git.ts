import type { EffectContext } from '../engine/durable.ts';
import type { Git } from '../git/git.ts';
import * as git from '../git/run-git.ts';
import { runMark } from '../process/environment.ts';
import type { RunProcess } from '../process/run-process.ts';

const TIMEOUT_MS = 10 * 60_000;

/** Git as a process of a run: stopped with it, and found again after a crash. */
export function createGit(run: RunProcess, context: EffectContext, cwd: string): Git {
  const { key, signal } = context;
  const marks = { runId: context.run.runId, runMark: runMark(context.run), key };
  return git.createGit({ run, cwd, environment: process.env, marks, timeoutMs: TIMEOUT_MS, signal });
}
