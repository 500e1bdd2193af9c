import { spawnSync } from 'node:child_process';
import { error, ok, type Result } from '../../../model/result.ts';
import { gitArgv } from '../../../process/git-argv.ts';
import { type Refused, refused } from '../../problem.ts';
import type { Site } from '../../site.ts';

export function checkWorktrees({
  workspace,
  environment,
}: Pick<Site, 'workspace' | 'environment'>): Result<void, Refused> {
  const [program = '', ...rest] = gitArgv(['rev-parse', '--is-inside-work-tree']);
  const asked = spawnSync(program, rest, { cwd: workspace, encoding: 'utf8', env: environment });
  if (asked.status === 0 && asked.stdout.trim() === 'true') return ok(undefined);
  return error(refused('conflict', '`--worktree` needs a git repository', 'create one with `git init`'));
}
