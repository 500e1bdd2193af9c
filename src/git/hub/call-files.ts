/** The files of the run's own folder that a call wrote on its worker – logs, prompts, responses – on their way to the host. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { copyPlain } from '../../store/plain-file.ts';
import { clearFolderAway } from '../../store/remove-file.ts';
import { fileFailure, makeFolderInside } from '../../store/safe-path.ts';
import { ownCommit } from '../commit-tree.ts';
import { failedGit, gitFailure, printed, splitZero } from '../git.ts';
import { clearIndex, writtenTree } from '../trees.ts';
import { refStem } from '../worktree-names.ts';
import type { Clone } from './clone.ts';
import { fetchRef, moveRefs } from './hub.ts';
import { executionRef } from './hub-refs.ts';
import type { HubCall } from './run-head.ts';

interface Execution {
  readonly call: HubCall;
  readonly execution: string;
}

const PLAIN = '100644';

/** `paths` are relative to the folder, which is absolute. The files are sent as they are, byte for byte. */
export async function sendFiles(
  clone: Clone,
  { call, execution }: Execution,
  { folder, paths }: { readonly folder: string; readonly paths: readonly string[] },
): Promise<Result<string, Failure>> {
  const { git } = clone;
  const lines = paths.map((path) => JSON.stringify(join(folder, path)));
  const hashed = await git(['hash-object', '-w', '--no-filters', '--stdin-paths'], {
    stdin: lines.join('\n'),
  });
  if (hashed.exitCode !== 0) return error(gitFailure('store the logs', hashed));
  const ids = hashed.stdout.split('\n');
  const index = indexOf(clone, { call, execution });
  try {
    const put = await git(['update-index', '-z', '--index-info'], {
      env: { GIT_INDEX_FILE: index },
      stdin: paths.map((path, at) => `${PLAIN} ${ids[at]}\t${path}\0`).join(''),
    });
    if (put.exitCode !== 0) return error(gitFailure('store the logs', put));
    const tree = await writtenTree(git, index);
    if (tree.type === 'error') return tree;
    const commit = await ownCommit(git, tree.value, { message: 'files' });
    if (commit.type === 'error') return commit;
    const ref = executionRef({ ...call, execution }, 'files');
    const pushed = await moveRefs(clone, [{ ref, to: commit.value }]);
    if (pushed.type === 'error') return pushed;
    return pushed.value
      ? ok(commit.value)
      : error(failedGit(`found other logs of \`${call.call}\` in the hub`));
  } finally {
    clearIndex(index);
  }
}

/** Writes the files of a call into a folder. Returns their paths; none if nothing was sent. */
export async function receiveFiles(
  clone: Clone,
  { call, execution }: Execution,
  folder: string,
): Promise<Result<readonly string[], Failure>> {
  const { git } = clone;
  const commit = await fetchRef(clone, executionRef({ ...call, execution }, 'files'));
  if (commit.type === 'error') return commit;
  if (commit.value === undefined) return ok([]);
  const listed = await printed(git, ['ls-tree', '-r', '-z', commit.value], { doing: 'read the logs' });
  if (listed.type === 'error') return listed;
  const entries = splitZero(listed.value).flatMap((line) => {
    const [, mode, path] = /^(\d+) blob [0-9a-f]+\t([\s\S]+)$/.exec(line) ?? [];
    return mode === PLAIN && path !== undefined ? [path] : [];
  });
  const index = indexOf(clone, { call, execution });
  const staging = `${index}.files`;
  clearFolderAway(staging);
  makeFolder(staging);
  try {
    const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: staging, GIT_DIR: clone.commonDir };
    const read = await git(['read-tree', commit.value], { env });
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

function indexOf({ checkouts }: Clone, { call, execution }: Execution): string {
  return join(checkouts, `${refStem(call.call)}.${refStem(execution)}.files-index`);
}
