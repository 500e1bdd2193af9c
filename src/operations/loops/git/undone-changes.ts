import type { Git } from '../../../git/git.ts';
import type { Repository } from '../../../git/repository.ts';
import { type Change, carryOver } from '../../../git/three-way.ts';
import { clearIndex, treeOfFiles } from '../../../git/trees.ts';
import type { Failure } from '../../../model/failure.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Problem } from '../../problem.ts';
import type { FoundTrees } from './find-trees.ts';

export interface UndoneIteration extends Change {
  readonly commit?: string | undefined;
}

/** What to undo, the latest iteration first; or to do again, after an earlier rollback. */
export async function changesBetween(
  git: Git,
  { iterations }: FoundTrees,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Result<readonly UndoneIteration[], Problem>> {
  const [lowest, highest] = from < to ? [from, to] : [to, from];
  const hasCommits = [...iterations.values()].some(({ commit }) => commit !== undefined);
  const changes: UndoneIteration[] = [];
  for (let number = lowest + 1; number <= highest; number += 1) {
    const { before, after, commit, isShared = false } = iterations.get(number) ?? {};
    if (before === undefined || after === undefined || before === after) continue;
    // A commit has only the loop's own changes; an iteration without one left nothing to commit.
    if (commit !== undefined) changes.push({ from: `${commit}^{tree}`, to: `${commit}^^{tree}`, commit });
    else if (isShared && !hasCommits) return error({ type: 'shared-iteration', iteration: number });
    else if (!hasCommits) changes.push({ from: after, to: before });
  }
  const trees: UndoneIteration[] = [];
  for (const change of changes) {
    const named = await Promise.all(
      [change.from, change.to].map((name) => git(['rev-parse', '--verify', '--quiet', name])),
    );
    const [start = '', end = ''] = named.map(({ stdout }) => stdout.trimEnd());
    if (start === '' || end === '') return error({ type: 'trees-removed' });
    trees.push({ ...change, from: start, to: end });
  }
  return ok(from < to ? trees.map((each) => ({ ...each, from: each.to, to: each.from })) : trees.reverse());
}

/** All of them, applied to the files as they are. */
export async function composed(
  repository: Repository,
  steps: readonly Change[],
  index: string,
): Promise<Result<Change, Failure>> {
  try {
    const files = await treeOfFiles(repository, { index, except: ['.orchestrate'] });
    if (files.type === 'error') return files;
    let tree = files.value;
    for (const step of steps) {
      const next = await carryOver(repository.git, step, tree);
      if (next.type === 'error') return next;
      tree = next.value;
    }
    return ok({ from: files.value, to: tree });
  } finally {
    clearIndex(index);
  }
}
