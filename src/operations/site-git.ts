import type { Git } from '../git/git.ts';
import { createGit } from '../git/run-git.ts';
import { runProcess } from '../process/run-process.ts';
import type { Site } from './site.ts';

const MARKS = { runId: '', runMark: 'git', key: 'git' };

/** Git for an operation, in a folder. */
export function createSiteGit({ environment }: Pick<Site, 'environment'>, cwd: string): Git {
  const { signal } = new AbortController();
  return createGit({ run: runProcess, cwd, environment, marks: MARKS, signal });
}
