import type { Result } from '../../../model/result.ts';
import { checkRepository } from '../../check-repository.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';

export function checkWorktrees(site: Pick<Site, 'workspace' | 'environment'>): Result<void, Problem> {
  return checkRepository(site, '`--worktree`');
}
