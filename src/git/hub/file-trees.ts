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

/** Writes the plain files of a commit into a folder, in place of those of the same names. Returns the paths of those written. */
export async function writePlainFiles(
  { git, commonDir }: { readonly git: Git; readonly commonDir: string },
  commit: string,
  {
    folder,
    scratch,
    isMissing = false,
  }: {
    readonly folder: string;
    readonly scratch: string;
    /** Only files that the folder does not have. */
    readonly isMissing?: boolean;
  },
): Promise<Result<readonly string[], Failure>> {
  const listed = await printed(git, ['ls-tree', '-r', '-z', commit], { doing: 'read the logs' });
  if (listed.type === 'error') return listed;
  const entries = splitZero(listed.value).flatMap((line) => {
    const [, mode, path] = /^(\d+) blob [0-9a-f]+\t([\s\S]+)$/.exec(line) ?? [];
    if (mode !== PLAIN || path === undefined) return [];
    return isMissing && fs.existsSync(join(folder, path)) ? [] : [path];
  });
  if (entries.length === 0) return ok([]);
  const index = `${scratch}.index`;
  const staging = `${scratch}.files`;
  clearFolderAway(staging);
  makeFolder(staging);
  try {
    const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: staging, GIT_DIR: commonDir };
    const read = await git(['read-tree', commit], { env });
    if (read.exitCode !== 0) return error(gitFailure('read the logs', read));
    const asIs = ['-c', 'core.autocrlf=false', '-c', 'core.attributesFile=/dev/null'];
    const written = await git([...asIs, 'checkout-index', '--force', '-z', '--stdin'], {
      ...{ env, cwd: staging, stdin: entries.map((path) => `${path}\0`).join('') },
    });
    if (written.exitCode !== 0) return error(gitFailure('write the logs', written));
    for (const path of entries) {
      const made = makeFolderInside(folder, dirname(path));
      if (made.type === 'error') return made;
      fs.chmodSync(join(staging, path), 0o600);
      fs.rmSync(join(folder, path), { force: true });
      copyPlain(join(staging, path), join(folder, path));
    }
    return ok(entries);
  } catch (cause) {
    return error(fileFailure('write', folder, cause));
  } finally {
    clearIndex(index);
    clearFolderAway(staging);
  }
}
