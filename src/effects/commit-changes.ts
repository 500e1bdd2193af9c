import { join } from 'node:path';
import type { Effect, EffectContext } from '../engine/durable.ts';
import { bringIn, type WantedChange } from '../git/bring-in.ts';
import type { Git } from '../git/git.ts';
import { inTurn } from '../git/in-turn.ts';
import { headOf, openRepository, type Repository, treeOf } from '../git/repository.ts';
import { type Change, carryOver } from '../git/three-way.ts';
import {
  copyIndex,
  entriesBetween,
  indexOfTree,
  putEntries,
  treeOfFiles,
  writtenTree,
} from '../git/trees.ts';
import { refStem } from '../git/worktree-names.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { ok, type Result } from '../model/result.ts';
import type { RunProcess } from '../process/run-process.ts';
import { runPathsIn } from '../store/layout.ts';
import { makeFolder } from '../store/make-folder.ts';
import { resolveInside } from '../store/safe-path.ts';
import type { CommitChangesInput, CommitChangesOutput } from './contracts.ts';
import { createGit } from './effect-git.ts';

/** The files have the change already, so this is a merge of it into index and branch (`git/bring-in.ts`). */
export function createCommitChanges(run: RunProcess): Effect<CommitChangesInput, CommitChangesOutput> {
  return async (input, context) => {
    const folder = resolveInside(context.run.workspace, input.cwd ?? '.');
    if (folder.type === 'error') return { failure: folder.error };
    const repository = await openRepository(createGit(run, context, folder.value));
    if (repository.type === 'error') return { failure: repository.error };
    const done = await inTurn(repository.value, context.signal, () =>
      commit(repository.value, input, context),
    );
    if (done.type === 'error') return { failure: done.error };
    return defined({ commit: done.value.commit, left: done.value.left });
  };
}

function commit(
  repository: Repository,
  input: CommitChangesInput,
  { key, run }: EffectContext,
): ReturnType<typeof bringIn> {
  const { merges, worktrees } = runPathsIn(run.directory);
  makeFolder(merges);
  makeFolder(worktrees);
  const name = refStem(key);
  const scratch = join(worktrees, `${name}.scratch`);
  const { message, author } = input;
  const given = {
    repository,
    record: join(merges, `${name}.json`),
    scratch,
    except: [],
    isInFiles: true,
    commit: { message, ...defined({ author }) },
  };
  return bringIn(given, () => changeOf(repository, input, scratch));
}

async function changeOf(
  repository: Repository,
  input: CommitChangesInput,
  scratch: string,
): Promise<Result<WantedChange, Failure>> {
  const { since, until, files } = input;
  const index = join(scratch, 'index.change');
  const except = ['.orchestrate', ...(input.except ?? [])].map((path) => `${repository.prefix}${path}`);
  const now = until === undefined ? await treeOfFiles(repository, { index, except }) : ok(until);
  if (now.type === 'error') return now;
  const wanted = files && new Set(files.map((path) => join(repository.prefix, path)));
  const change = { from: since, to: now.value };
  const only = await reduced(repository.git, change, { index, counts: (path) => wanted?.has(path) ?? true });
  if (only.type === 'error') return only;
  const left = await inseparable(repository, only.value, index);
  if (left.type === 'error' || left.value.length === 0) return left.type === 'error' ? left : only;
  const rest = await reduced(repository.git, only.value, {
    index,
    counts: (path) => !left.value.includes(path),
  });
  return rest.type === 'error' ? rest : ok({ ...rest.value, left: left.value });
}

/** The change of some paths alone. */
async function reduced(
  git: Git,
  { from, to }: Change,
  { index, counts }: { readonly index: string; counts(path: string): boolean },
): Promise<Result<Change, Failure>> {
  const entries = await entriesBetween(git, from, to);
  if (entries.type === 'error') return entries;
  if (entries.value.every(({ path }) => counts(path))) return ok({ from, to });
  const read = await indexOfTree(git, index, from);
  if (read.type === 'error') return read;
  const put = await putEntries(
    git,
    index,
    entries.value.filter(({ path }) => counts(path)),
  );
  if (put.type === 'error') return put;
  const tree = await writtenTree(git, index);
  return tree.type === 'error' ? tree : ok({ from, to: tree.value });
}

/** Files in which the change touches lines that are staged or not committed at all. */
async function inseparable(
  repository: Repository,
  change: Change,
  index: string,
): Promise<Result<readonly string[], Failure>> {
  const { git } = repository;
  const head = await treeOf(git, await headOf(git));
  if (head.type === 'error') return head;
  copyIndex(repository, index);
  const staged = await writtenTree(git, index);
  if (staged.type === 'error') return staged;
  const files = new Set<string>();
  for (const onto of new Set([head.value, staged.value])) {
    const carried = await carryOver(git, change, onto);
    if (carried.type === 'ok') continue;
    if (carried.error.type !== 'conflict') return carried;
    for (const file of carried.error.files) files.add(file);
  }
  return ok([...files].sort());
}
