import { printed } from '../../../git/git.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { createSiteGit } from '../../site-git.ts';
import { openLoop } from '../site/find-loop.ts';
import type { OfLoop } from '../site/loops.ts';
import { findTrees, treeAfter } from './find-trees.ts';

export interface DiffLoop extends OfLoop {
  /** Default: all of the last run. */
  readonly iteration?: number | undefined;
}

/** What an iteration, or the last run, changed in the project, as a patch. */
export async function diffLoop(site: Site, asked: DiffLoop): Promise<Result<string, Problem>> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const found = findTrees(site, opened.value.workspace);
  if (found.type === 'error') return found;
  const { iteration } = asked;
  const until = treeAfter(found.value, iteration ?? found.value.last);
  if (until.type === 'error') return until;
  const before = iteration === undefined ? undefined : found.value.iterations.get(iteration)?.before;
  const since = before === undefined ? treeAfter(found.value, 0) : ok(before);
  if (since.type === 'error') return since;
  const git = createSiteGit(site, site.workspace);
  const diff = await printed(
    git,
    ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--binary', since.value, until.value],
    { doing: 'compare the trees' },
  );
  return diff.type === 'ok' ? diff : error({ type: 'failure', failure: diff.error });
}
