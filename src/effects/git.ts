/** Runs git for the effects that need it. */
import type { EffectContext } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import { childEnvironment, runMark } from '../process/environment.ts';
import { gitArgv } from '../process/git-argv.ts';
import type { RunProcess } from '../process/run-process.ts';

const MOST_OUTPUT = 16 * 1024 * 1024;
const MESSAGE_BYTES = 4 * 1024;
const TIMEOUT_MS = 10 * 60_000;

export interface GitEnd {
  /** 127 if git could not be started. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Git = (argv: readonly string[], options?: GitOptions) => Promise<GitEnd>;

export interface GitOptions {
  readonly env?: { readonly [name: string]: string };
  /** Absolute; default: the folder given to `createGit`. */
  readonly cwd?: string;
  readonly stdin?: string;
}

export function createGit(run: RunProcess, context: EffectContext, cwd: string): Git {
  return async (argv, options = {}) => {
    const end = await run({
      argv: gitArgv(argv),
      cwd: options.cwd ?? cwd,
      env: childEnvironment({
        add: {
          GIT_OPTIONAL_LOCKS: '0',
          GIT_TERMINAL_PROMPT: '0',
          GIT_EDITOR: 'true',
          LC_ALL: 'C',
          ...options.env,
        },
        runId: context.run.runId,
        runMark: runMark(context.run),
        key: context.key,
      }),
      stdin: options.stdin === undefined ? { type: 'none' } : { type: 'text', text: options.stdin },
      stdout: { files: [], headBytes: MOST_OUTPUT, tailBytes: 0 },
      stderr: { files: [], headBytes: MESSAGE_BYTES, tailBytes: 0 },
      mask: [],
      timeoutMs: TIMEOUT_MS,
      signal: context.signal,
    });
    context.signal.throwIfAborted();
    if (end.type === 'not-started') return { exitCode: 127, stdout: '', stderr: 'cannot start git' };
    return { exitCode: end.exitCode, stdout: end.stdout.head.toString(), stderr: end.stderr.head.toString() };
  };
}

export function gitFailure(doing: string, end: GitEnd): Failure {
  const [line = ''] = end.stderr.trim().split('\n').slice(-1);
  return {
    type: 'invalid-output',
    reason: 'invalid',
    message: `git failed to ${doing}: ${line === '' ? `exit code ${end.exitCode}` : line}`,
  };
}

/** 1: some paths were skipped, such as ignored ones, and the rest was added. */
export function wasAdded(end: GitEnd): boolean {
  return end.exitCode <= 1;
}

export function splitZero(text: string): readonly string[] {
  return text.split('\0').filter((part) => part !== '');
}
