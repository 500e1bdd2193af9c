/**
 * The working tree as one git tree object, and the differences from an earlier one. Uses a separate
 * index, so the user's staged changes stay as they are; ignored files do not count.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import type { RunProcess } from '../process/run-process.ts';
import { stepFileStem } from '../store/layout.ts';
import { realPath } from '../store/own-path.ts';
import { copyPlain } from '../store/plain-file.ts';
import { resolveInside } from '../store/safe-path.ts';
import type { ChangedFile, SnapshotTreeInput, SnapshotTreeOutput } from './contracts.ts';
import { createGit, type Git, splitZero, wasAdded } from './git.ts';
import { isShared } from './neighbours.ts';

export function createSnapshotTree(run: RunProcess): Effect<SnapshotTreeInput, SnapshotTreeOutput> {
  return async (input, context) => {
    const folder = resolveInside(context.run.workspace, input.cwd ?? '.');
    if (folder.type === 'error') return { failure: folder.error };
    const git = createGit(run, context, folder.value);
    const index = join(context.run.directory, `index.${stepFileStem(context.key, context.attempt)}`);
    try {
      const tree = await writeTree(git, { index, except: input.except, cwd: folder.value });
      if (tree === undefined) return {};
      const shared = isShared(input.neighbours) ? { isShared: true } : {};
      if (input.since === undefined) return { tree, ...shared };
      const files = await changes(git, input.since, tree);
      return files === undefined ? { tree, ...shared } : { tree, files, ...shared };
    } finally {
      fs.rmSync(index, { force: true });
      fs.rmSync(`${index}.lock`, { force: true });
    }
  };
}

/** Undefined if there is no repository or no git. */
async function writeTree(
  git: Git,
  given: { readonly index: string; readonly except: readonly string[]; readonly cwd: string },
): Promise<string | undefined> {
  const own = await git(['rev-parse', '--git-path', 'index']);
  if (own.exitCode !== 0) return undefined;
  // With the sizes and times of the user's own index, only changed files are read.
  const path = join(given.cwd, own.stdout.trimEnd());
  const existing = own.stdout.startsWith('/') ? own.stdout.trimEnd() : path;
  fs.rmSync(given.index, { force: true });
  if (fs.existsSync(existing)) copyPlain(realPath(existing), given.index);
  const env = { GIT_INDEX_FILE: given.index };
  const except = given.except.map((each) => `:(exclude,top)${each}`);
  const added = await git(['add', '--all', '--ignore-errors', '--', ':/', ...except], { env });
  if (!wasAdded(added)) return undefined;
  const tree = await git(['write-tree'], { env });
  return tree.exitCode === 0 ? tree.stdout.trimEnd() : undefined;
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
