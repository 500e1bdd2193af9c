import { childEnvironment } from '../process/environment.ts';
import { gitArgv } from '../process/git-argv.ts';
import type { RunProcess } from '../process/run-process.ts';
import { GIT_ENVIRONMENT, type Git, isLocalToRepository, MOST_OUTPUT } from './git.ts';

const MESSAGE_BYTES = 4 * 1024;

export interface GitSite {
  readonly run: RunProcess;
  /** Absolute: where it runs, unless a call says otherwise. */
  readonly cwd: string;
  readonly environment: { readonly [name: string]: string | undefined };
  /** By which it is found again after a crash. */
  readonly marks: { readonly runId: string; readonly runMark: string; readonly key: string };
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

/** Git as a process of its own. Output that is too long is a failure: nothing is read that is not whole. */
export function createGit({ run, cwd, environment, marks, signal, ...limits }: GitSite): Git {
  const base = Object.fromEntries(Object.entries(environment).filter(([name]) => !isLocalToRepository(name)));
  return async (argv, options = {}) => {
    const end = await run({
      argv: gitArgv(argv),
      cwd: options.cwd ?? cwd,
      env: childEnvironment({ base, add: { ...GIT_ENVIRONMENT, ...options.env }, ...marks }),
      stdin: options.stdin === undefined ? { type: 'none' } : { type: 'text', text: options.stdin },
      stdout: { files: [], headBytes: MOST_OUTPUT, tailBytes: 0 },
      stderr: { files: [], headBytes: 0, tailBytes: MESSAGE_BYTES },
      mask: [],
      signal,
      ...limits,
    });
    signal.throwIfAborted();
    if (end.type === 'not-started') return { exitCode: 127, stdout: '', stderr: 'cannot start git' };
    if (end.stdout.bytes > MOST_OUTPUT)
      return { exitCode: 126, stdout: '', stderr: `its output is ${end.stdout.bytes} bytes` };
    return { exitCode: end.exitCode, stdout: end.stdout.head.toString(), stderr: end.stderr.tail.toString() };
  };
}
