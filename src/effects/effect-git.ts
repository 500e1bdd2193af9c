import type { EffectContext } from '../engine/durable.ts';
import { GIT_ENVIRONMENT, type Git, isLocalToRepository, MOST_OUTPUT } from '../git/git.ts';
import { childEnvironment, runMark } from '../process/environment.ts';
import { gitArgv } from '../process/git-argv.ts';
import type { RunProcess } from '../process/run-process.ts';

const MESSAGE_BYTES = 4 * 1024;
const TIMEOUT_MS = 10 * 60_000;

/** Git as a process of a run: stopped with it, and found again after a crash. */
export function createGit(run: RunProcess, context: EffectContext, cwd: string): Git {
  const base = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isLocalToRepository(name)));
  return async (argv, options = {}) => {
    const end = await run({
      argv: gitArgv(argv),
      cwd: options.cwd ?? cwd,
      env: childEnvironment({
        base,
        add: { ...GIT_ENVIRONMENT, ...options.env },
        runId: context.run.runId,
        runMark: runMark(context.run),
        key: context.key,
      }),
      stdin: options.stdin === undefined ? { type: 'none' } : { type: 'text', text: options.stdin },
      stdout: { files: [], headBytes: MOST_OUTPUT, tailBytes: 0 },
      stderr: { files: [], headBytes: 0, tailBytes: MESSAGE_BYTES },
      mask: [],
      timeoutMs: TIMEOUT_MS,
      signal: context.signal,
    });
    context.signal.throwIfAborted();
    if (end.type === 'not-started') return { exitCode: 127, stdout: '', stderr: 'cannot start git' };
    if (end.stdout.bytes > MOST_OUTPUT)
      return { exitCode: 126, stdout: '', stderr: `its output is ${end.stdout.bytes} bytes` };
    return { exitCode: end.exitCode, stdout: end.stdout.head.toString(), stderr: end.stderr.tail.toString() };
  };
}
