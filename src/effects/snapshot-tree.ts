/**
 * The working tree as one git tree object, and the differences from an earlier one. Uses a separate
 * index, so the user's staged changes stay as they are; ignored files do not count.
 */
import { join } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import { type Git, splitZero } from '../git/git.ts';
import { openRepository } from '../git/repository.ts';
import { clearIndex, treeOfFiles } from '../git/trees.ts';
import type { RunProcess } from '../process/run-process.ts';
import { stepFileStem } from '../store/layout.ts';
import { resolveInside } from '../store/safe-path.ts';
import type { ChangedFile, SnapshotTreeInput, SnapshotTreeOutput } from './contracts.ts';
import { createGit } from './effect-git.ts';
import { isShared } from './neighbours.ts';

export function createSnapshotTree(run: RunProcess): Effect<SnapshotTreeInput, SnapshotTreeOutput> {
  return async (input, context) => {
    const folder = resolveInside(context.run.workspace, input.cwd ?? '.');
    if (folder.type === 'error') return { failure: folder.error };
    const git = createGit(run, context, folder.value);
    const repository = await openRepository(git);
    if (repository.type === 'error') return {};
    const index = join(context.run.directory, `index.${stepFileStem(context.key, context.attempt)}`);
    try {
      const made = await treeOfFiles(repository.value, { index, except: input.except });
      if (made.type === 'error') return {};
      const tree = made.value;
      const shared = isShared(input.neighbours, context.run) ? { isShared: true } : {};
      if (input.since === undefined) return { tree, ...shared };
      const files = await changes(git, input.since, tree);
      return files === undefined ? { tree, ...shared } : { tree, files, ...shared };
    } finally {
      clearIndex(index);
    }
  };
}

const KINDS: Readonly<Record<string, ChangedFile['change']>> = { A: 'added', D: 'deleted' };

async function changes(git: Git, since: string, tree: string): Promise<readonly ChangedFile[] | undefined> {
  const diff = await git([
    'diff-tree',
    '-r',
    '-z',
    '--no-renames',
    '--name-status',
    '--relative',
    since,
    tree,
  ]);
  if (diff.exitCode !== 0) return undefined;
  const parts = splitZero(diff.stdout);
  return parts.flatMap((kind, at) => {
    const path = parts[at + 1];
    return at % 2 === 1 || path === undefined ? [] : [{ path, change: KINDS[kind] ?? 'modified' }];
  });
}
