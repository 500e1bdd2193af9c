import { spawnSync } from 'node:child_process';
import { error, ok, type Result } from '../../../model/result.ts';
import { gitArgv } from '../../../process/git-argv.ts';
import { type Refused, refused } from '../../problem.ts';
import type { Site } from '../../site.ts';

/** Worktrees start from the last commit, so they would lack uncommitted changes. */
export function checkWorktrees({
  workspace,
  environment,
}: Pick<Site, 'workspace' | 'environment'>): Result<void, Refused> {
  const git = (...argv: readonly string[]) => {
    const [program = '', ...rest] = gitArgv(argv);
    return spawnSync(program, rest, { cwd: workspace, encoding: 'utf8', env: environment });
  };
  if (git('rev-parse', '--verify', '--quiet', 'HEAD').status !== 0)
    return error(refused('conflict', '`--worktree` needs a git repository with a commit'));
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':(exclude).workflow');
  if (changed.status === 0 && changed.stdout === '') return ok(undefined);
  return error(
    refused('conflict', '`--worktree` needs a clean working tree', 'commit or stash your changes'),
  );
}
