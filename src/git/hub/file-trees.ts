/** Plain files of a folder as a commit of their own, byte for byte, and back. They never pass through a checkout, so no filter changes them. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { copyPlain } from '../../store/plain-file.ts';
import { clearFolderAway } from '../../store/remove-file.ts';
import { fileFailure, makeFolderInside } from '../../store/safe-path.ts';
import { ownCommit } from '../commit-tree.ts';
import { type Git, gitFailure, printed, splitZero } from '../git.ts';
import { clearIndex, writtenTree } from '../trees.ts';

const PLAIN = '100644';

export interface FolderFiles {
  /** Absolute. */
  readonly folder: string;
  /** Relative to it. */
  readonly paths: readonly string[];
}

/** `scratch`: an absolute path for temporary files, unique to the caller. The same files are the same commit. */
export async function commitPlainFiles(
  git: Git,
  { folder, paths }: FolderFiles,
  scratch: string,
): Promise<Result<string, Failure>> {
  const lines = paths.map((path) => JSON.stringify(join(folder, path)));
  const hashed = await git(['hash-object', '-w', '--no-filters', '--stdin-paths'], {
    stdin: lines.join('\n'),
  });
  if (hashed.exitCode !== 0) return error(gitFailure('store the logs', hashed));
  const ids = hashed.stdout.split('\n');
  const index = `${scratch}.index`;
  try {
    const put = await git(['update-index', '-z', '--index-info'], {
      env: { GIT_INDEX_FILE: index },
      stdin: paths.map((path, at) => `${PLAIN} ${ids[at]}\t${path}\0`).join(''),
    });
    if (put.exitCode !== 0) return error(gitFailure('store the logs', put));
    const tree = await writtenTree(git, index);
    return tree.type === 'error' ? tree : await ownCommit(git, tree.value, { message: 'files' });
  } finally {
    clearIndex(index);
  }
}

/**
 * Writes the plain files of commits into a folder, in place of those of the same names, also of an earlier commit. Returns the paths of those
 * written. However many commits there are, git is called three times: a run has one for each of its calls.
 */
export async function writePlainFiles(
  { git, commonDir }: { readonly git: Git; readonly commonDir: string },
  commits: readonly string[],
  { folder, scratch, isMissing = false }: WriteInto,
): Promise<Result<readonly string[], Failure>> {
  const found = await plainFilesIn(git, commits);
  if (found.type === 'error') return found;
  const entries = new Map<string, string>();
  for (const { path, blob } of found.value) {
    if (isMissing && (entries.has(path) || fs.existsSync(join(folder, path)))) continue;
    entries.set(path, blob);
  }
  if (entries.size === 0) return ok([]);
  const paths = [...entries.keys()];
  const index = `${scratch}.index`;
  const staging = `${scratch}.files`;
  clearFolderAway(staging);
  makeFolder(staging);
  try {
    const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: staging, GIT_DIR: commonDir };
    const listed = [...entries].map(([path, blob]) => `${PLAIN} ${blob}\t${path}\0`);
    const read = await git(['update-index', '-z', '--index-info'], { env, stdin: listed.join('') });
    if (read.exitCode !== 0) return error(gitFailure('read the logs', read));
    const asIs = ['-c', 'core.autocrlf=false', '-c', 'core.attributesFile=/dev/null'];
    const written = await git([...asIs, 'checkout-index', '--force', '-z', '--stdin'], {
      ...{ env, cwd: staging, stdin: paths.map((path) => `${path}\0`).join('') },
    });
    if (written.exitCode !== 0) return error(gitFailure('write the logs', written));
    for (const path of paths) {
      const made = makeFolderInside(folder, dirname(path));
      if (made.type === 'error') return made;
      fs.chmodSync(join(staging, path), 0o600);
      fs.rmSync(join(folder, path), { force: true });
      copyPlain(join(staging, path), join(folder, path));
    }
    return ok(paths);
  } catch (cause) {
    return error(fileFailure('write', folder, cause));
  } finally {
    clearIndex(index);
    clearFolderAway(staging);
  }
}

export interface WriteInto {
  /** Absolute. */
  readonly folder: string;
  /** An absolute path for temporary files, unique to the caller. */
  readonly scratch: string;
  /** Only files that the folder does not have; of several commits, the first one counts. */
  readonly isMissing?: boolean;
}

interface PlainFile {
  readonly path: string;
  readonly blob: string;
}

/** Those of `commitPlainFiles`, which have no parents, in their order. */
async function plainFilesIn(
  git: Git,
  commits: readonly string[],
): Promise<Result<readonly PlainFile[], Failure>> {
  const stdin = commits.map((commit) => `${commit}\n`).join('');
  const argv = ['diff-tree', '--stdin', '--root', '--no-commit-id', '-r', '-z'];
  const listed = await printed(git, argv, { doing: 'read the logs', stdin });
  if (listed.type === 'error') return listed;
  const files: PlainFile[] = [];
  const parts = splitZero(listed.value);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode, blob] = /^:0+ (\d+) 0+ ([0-9a-f]+) A$/.exec(parts[at] ?? '') ?? [];
    if (mode === PLAIN && blob !== undefined) files.push({ path: parts[at + 1] ?? '', blob });
  }
  return ok(files);
}
