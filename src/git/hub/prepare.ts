/**
 * Folders in which `setup` has run, one for each base: what it made there and git ignores is copied into checkouts. They are removed when no call
 * has used them for a while.
 */
import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import type { Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import { copyIgnored } from '../extra-files.ts';
import { openRepository, type Repository } from '../repository.ts';
import { addWorktree, dropWorktree } from './add-worktree.ts';
import type { Clone } from './clone.ts';

export interface Setup {
  /** What it runs: each is prepared by itself. */
  readonly key: string;
  run(workspace: string): Promise<Result<void, Failure>>;
}

export interface PrepareInput {
  readonly base: string;
  readonly prefix: string;
  readonly setup: Setup;
  readonly signal: AbortSignal;
}

/** So many bases stay prepared. */
const MOST_PREPARED = 2;

/** Copies what `setup` makes of a base into a checkout of it. `setup` runs once, also if several calls ask at once; again if the call it ran for was cancelled. */
export async function copyPrepared(
  clone: Clone,
  input: PrepareInput,
  to: string,
): Promise<Result<void, Failure>> {
  const { prepared } = clone;
  const base = `${input.base}-${sha256(input.setup.key).slice(0, 8)}`;
  const one = prepared.get(base) ?? {
    ...{ repository: prepare(clone, input, base), signal: input.signal, users: 0 },
  };
  // The last one that was used is the last to be removed.
  prepared.delete(base);
  prepared.set(base, one);
  one.users += 1;
  // It did not end because of this call.
  const isNotOurs = (): boolean => one.signal.aborted && !input.signal.aborted;
  try {
    const repository = await one.repository;
    if (repository.type === 'ok') return await copyIgnored(repository.value, { patterns: ['**'], to });
    if (prepared.get(base) === one) prepared.delete(base);
    if (!isNotOurs()) return repository;
  } catch (problem) {
    if (prepared.get(base) === one) prepared.delete(base);
    if (!isNotOurs()) throw problem;
  } finally {
    one.users -= 1;
    await removeOld(clone);
  }
  return copyPrepared(clone, input, to);
}

async function prepare(
  clone: Clone,
  { base, prefix, setup, signal }: PrepareInput,
  name: string,
): Promise<Result<Repository, Failure>> {
  const folder = folderOf(clone, name);
  const added = await addWorktree(clone, { folder, base, prefix, signal });
  if (added.type === 'error') return added;
  const done = await setup.run(join(folder, prefix));
  if (done.type === 'error') return done;
  return openRepository((argv, options) => clone.git(argv, { cwd: folder, ...options }));
}

function folderOf({ checkouts }: Clone, base: string): string {
  return join(checkouts, `prepared-${base.slice(0, 16)}${base.slice(base.indexOf('-'))}`);
}

const { signal: NEVER } = new AbortController();

/** A cancelled call does it too: nobody else knows the folder any more. */
async function removeOld(clone: Clone): Promise<void> {
  const unused = [...clone.prepared].filter(([, { users }]) => users === 0).map(([base]) => base);
  const tooMany = Math.max(0, clone.prepared.size - MOST_PREPARED);
  for (const base of unused.slice(0, tooMany)) {
    clone.prepared.delete(base);
    await dropWorktree(clone, folderOf(clone, base), NEVER);
  }
}
