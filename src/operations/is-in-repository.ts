import { spawnSync } from 'node:child_process';
import { gitArgv } from '../process/git-argv.ts';
import type { Site } from './site.ts';

/** Whether the workspace is in a working tree of git. */
export function isInRepository({ workspace, environment }: Pick<Site, 'workspace' | 'environment'>): boolean {
  const [program = '', ...rest] = gitArgv(['rev-parse', '--is-inside-work-tree']);
  const asked = spawnSync(program, rest, { cwd: workspace, encoding: 'utf8', env: environment });
  return asked.status === 0 && asked.stdout.trim() === 'true';
}
