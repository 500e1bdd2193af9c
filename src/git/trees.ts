/** Trees of git: made from a folder, compared, reduced to some paths. Each uses an index of its own, so the user's is not touched. */
import fs from 'node:fs';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { realPath } from '../store/own-path.ts';
import { copyPlain } from '../store/plain-file.ts';
import { TEMPORARY_GLOB } from '../store/temporary-name.ts';
import { type Git, gitFailure, printed, splitZero, wasAdded } from './git.ts';
import type { Repository } from './repository.ts';

export interface TreeEntry {
  /** Relative to the top. */
  readonly path: string;
  /** `000000`: there is none. */
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
}

export const NO_FILE = '000000';

/** The index of the folder's own checkout, copied: with its sizes and times only changed files are read. */
export function copyIndex({ gitDir }: Repository, to: string): void {
  clearIndex(to);
  const own = `${gitDir}/index`;
  const stat = fs.statSync(own, { throwIfNoEntry: false });
  if (stat === undefined) return;
  copyPlain(realPath(own), to);
  // Git reads a file again that may have changed in the second in which the index was written: a newer copy would hide such a change.
  fs.utimesSync(to, stat.atime, stat.mtime);
}

export interface WantedFiles {
  /** Absolute: a temporary file. */
  readonly index: string;
  /** Paths from the top that stay as they are in the index. */
  readonly except: readonly string[];
  /** The same, as patterns. */
  readonly without?: readonly string[];
  /** Patterns from the top of ignored files that are wanted too. */
  readonly include?: readonly string[];
  /** Paths from the top of files that are wanted too, ignored or not. */
  readonly also?: readonly string[];
}

/** What is just being written, perhaps by another effect: it is gone a moment later. */
const NO_TEMPORARIES = `:(exclude,top,glob)${TEMPORARY_GLOB}`;

/** As arguments of git. */
export function exceptPaths(except: WantedFiles['except']): readonly string[] {
  return except.map((each) => `:(exclude,top,literal)${each}`);
}

/** All files of the working tree that git does not ignore. */
export async function treeOfFiles(
  repository: Repository,
  wanted: WantedFiles,
): Promise<Result<string, Failure>> {
  copyIndex(repository, wanted.index);
  return addedTree(repository, wanted);
}

/** The same with an index that is there, which is brought up to date. */
export async function addedTree(
  { git, top }: Repository,
  { index, except, without = [], include = [], also = [] }: WantedFiles,
): Promise<Result<string, Failure>> {
  const env = { GIT_INDEX_FILE: index };
  const excluded = [
    ...[NO_TEMPORARIES, ...exceptPaths(except)],
    ...without.map((pattern) => `:(exclude,top,glob)${pattern}`),
  ];
  const added = await git(['add', '--all', '--ignore-errors', '--', ':/', ...excluded], { env });
  if (!wasAdded(added)) return error(gitFailure('read the working tree', added));
  for (const pattern of include) {
    const asked = ['ls-files', '--others', '--ignored', '--exclude-standard', '--full-name', '-z', '--'];
    const found = await git([...asked, `:(top,glob)${pattern}`, ...excluded], { env, cwd: top });
    if (found.exitCode !== 0) return error(gitFailure('list the ignored files', found));
    const forced = await addForced(git, splitZero(found.stdout), env);
    if (forced.type === 'error') return forced;
  }
  const forced = await addForced(git, also, env);
  return forced.type === 'error' ? forced : writtenTree(git, index);
}

async function addForced(
  git: Git,
  paths: readonly string[],
  env: { readonly GIT_INDEX_FILE: string },
): Promise<Result<void, Failure>> {
  if (paths.length === 0) return ok(undefined);
  const stdin = paths.map((path) => `:(top,literal)${path}`).join('\0');
  const forced = await git(['add', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    ...{ env, stdin },
  });
  return forced.exitCode === 0 ? ok(undefined) : error(gitFailure('read the ignored files', forced));
}

/** The tree that an index would commit. */
export async function writtenTree(git: Git, index: string): Promise<Result<string, Failure>> {
  const tree = await git(['write-tree'], { env: { GIT_INDEX_FILE: index } });
  if (tree.exitCode === 0) return ok(tree.stdout.trimEnd());
  return error(
    /unmerged|error building trees/.test(tree.stderr)
      ? {
          type: 'invalid-output',
          reason: 'invalid',
          message: 'the repository has unresolved conflicts; finish or abort the merge, then resume',
        }
      : gitFailure('read the index', tree),
  );
}

/** In the order of their paths; a rename is a removal and an addition. */
export async function entriesBetween(
  git: Git,
  from: string,
  to: string,
): Promise<Result<readonly TreeEntry[], Failure>> {
  if (from === to) return ok([]);
  const diff = await printed(git, ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to], {
    doing: 'compare two trees',
  });
  if (diff.type === 'error') return diff;
  const parts = splitZero(diff.value);
  return ok(
    parts.flatMap((facts, at) => {
      const path = parts[at + 1];
      if (at % 2 === 1 || path === undefined) return [];
      const [oldMode = '', newMode = '', oldId = '', newId = ''] = facts.slice(1).split(' ');
      return [{ path, oldMode, newMode, oldId, newId }];
    }),
  );
}

/** Sets entries in an index file. */
export async function putEntries(
  git: Git,
  index: string,
  entries: readonly TreeEntry[],
): Promise<Result<void, Failure>> {
  const lines = entries.map(({ newMode, newId, path }) =>
    newMode === NO_FILE ? `0 ${newId}\t${path}\0` : `${newMode} ${newId}\t${path}\0`,
  );
  const put = await git(['update-index', '-z', '--index-info'], {
    env: { GIT_INDEX_FILE: index },
    stdin: lines.join(''),
  });
  return put.exitCode === 0 ? ok(undefined) : error(gitFailure('change the index', put));
}

/** An index file with exactly the files of the tree. */
export async function indexOfTree(git: Git, index: string, tree: string): Promise<Result<void, Failure>> {
  clearIndex(index);
  const read = await git(['read-tree', tree], { env: { GIT_INDEX_FILE: index } });
  return read.exitCode === 0 ? ok(undefined) : error(gitFailure('read a tree', read));
}

export function clearIndex(index: string): void {
  fs.rmSync(index, { force: true });
  fs.rmSync(`${index}.lock`, { force: true });
}
