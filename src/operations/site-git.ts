import { GIT_ENVIRONMENT, type Git, isLocalToRepository, MOST_OUTPUT } from '../git/git.ts';
import { childEnvironment } from '../process/environment.ts';
import { gitArgv } from '../process/git-argv.ts';
import { runProcess } from '../process/run-process.ts';
import type { Site } from './site.ts';

const MESSAGE_BYTES = 4 * 1024;

/** Git for an operation, in a folder. */
export function createSiteGit({ environment }: Site, cwd: string): Git {
  const base = Object.fromEntries(Object.entries(environment).filter(([name]) => !isLocalToRepository(name)));
  return async (argv, options = {}) => {
    const end = await runProcess({
      argv: gitArgv(argv),
      cwd: options.cwd ?? cwd,
      env: childEnvironment({
        base,
        add: { ...GIT_ENVIRONMENT, ...options.env },
        ...{ runId: '', runMark: 'git', key: 'git' },
      }),
      stdin: options.stdin === undefined ? { type: 'none' } : { type: 'text', text: options.stdin },
      stdout: { files: [], headBytes: MOST_OUTPUT, tailBytes: 0 },
      stderr: { files: [], headBytes: 0, tailBytes: MESSAGE_BYTES },
      mask: [],
      signal: new AbortController().signal,
    });
    if (end.type === 'not-started') return { exitCode: 127, stdout: '', stderr: 'cannot start git' };
    return { exitCode: end.exitCode, stdout: end.stdout.head.toString(), stderr: end.stderr.tail.toString() };
  };
}
