/**
 * The files of one call on a worker: a detached worktree of the worker's own clone, made from the base of the call and removed after its work
 * was pushed.
 *
 * C1 A checkout has exactly the files of its base, and what `setup` made of that base and git ignores. `setup` runs once for each base.
 * C2 The work is one commit with all files that git does not ignore, and ignored ones that are named, on top of what was committed in the checkout; if its own HEAD is somewhere
 *    else, on top of the base.
 * C3 A call that is repeated gets a new checkout. An execution pushes once, to refs of its own.
 */
import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { userCommit } from '../commit-tree.ts';
import { failedGit } from '../git.ts';
import { openRepository, type Repository } from '../repository.ts';
import { filesAsTree, hasTree, parentOf } from '../snapshot.ts';
import { refStem } from '../worktree-names.ts';
import { addWorktree, dropWorktree } from './add-worktree.ts';
import type { Clone } from './clone.ts';
import { moveRefs } from './hub.ts';
import { baseRef, executionRef } from './hub-refs.ts';
import { copyPrepared, type Setup } from './prepare.ts';
import type { HubCall, HubWork } from './run-head.ts';

export interface Checkout {
  readonly call: HubCall;
  /** Absolute: the folder of the run in it. */
  readonly workspace: string;
  /** Absolute: its top. */
  readonly folder: string;
  readonly repository: Repository;
}

export interface CheckoutInput {
  readonly call: HubCall;
  /** Absolute; default: one of its own. */
  readonly folder?: string;
  /** The folder of the run in the repository: `` or `sub/folder/`. */
  readonly prefix: string;
  /** C1. It gets the absolute path of the folder of the run. */
  readonly setup?: Setup;
  readonly signal: AbortSignal;
}

export async function openCheckout(clone: Clone, input: CheckoutInput): Promise<Result<Checkout, Failure>> {
  const { call, prefix, setup, signal, folder = join(clone.checkouts, checkoutName(call)) } = input;
  const { base } = call;
  const ref = baseRef(call.runId, call.call);
  const made = await addWorktree(clone, { folder, base, ref, prefix, signal });
  if (made.type === 'error') return made;
  const prepared =
    setup === undefined ? ok(undefined) : await copyPrepared(clone, { base, prefix, setup, signal }, folder);
  if (prepared.type === 'error') return prepared;
  const opened = await openRepository((argv, options) => clone.git(argv, { cwd: folder, ...options }));
  if (opened.type === 'error') return opened;
  return ok({ call, folder, workspace: join(folder, prefix), repository: { ...opened.value, prefix } });
}

/** The name of the folder of a checkout, below `Clone.checkouts`. */
export function checkoutName({ runId, call }: Omit<HubCall, 'base'>): string {
  return `${refStem(call)}-${runId.slice(runId.lastIndexOf('-') + 1)}`;
}

/** C2, C3. Nothing is pushed if nothing changed. */
export async function saveCheckout(
  clone: Clone,
  { call, folder, repository }: Checkout,
  {
    execution,
    message,
    include = [],
    without = [],
  }: {
    readonly execution: string;
    readonly message: string;
    /** Patterns of ignored files that belong to the work, relative to the folder of the run. */
    readonly include?: readonly string[];
    /** Patterns of files that do not, likewise. */
    readonly without?: readonly string[];
  },
): Promise<Result<HubWork, Failure>> {
  const { git, prefix } = repository;
  const files = {
    index: `${folder}.index`,
    except: [`${prefix}.orchestrate`],
    include: include.map((pattern) => `${prefix}${pattern}`),
    without: without.map((pattern) => `${prefix}${pattern}`),
  };
  const tree = await filesAsTree(repository, files);
  if (tree.type === 'error') return tree;
  if (await hasTree(git, call.base, tree.value)) return ok({ execution, done: call.base });
  const parents = [await parentOf(git, call.base)];
  const done = await userCommit(git, tree.value, { parents, message });
  if (done.type === 'error') return done;
  const ref = executionRef({ ...call, execution }, 'done');
  const pushed = await moveRefs(clone, [{ ref, to: done.value }]);
  if (pushed.type === 'error') return pushed;
  clone.whole.add(done.value);
  return pushed.value
    ? ok({ execution, done: done.value })
    : error(failedGit(`found other work of \`${call.call}\` in the hub`));
}

export function closeCheckout(clone: Clone, { folder }: Checkout): Promise<Result<void, Failure>> {
  return dropWorktree(clone, folder, new AbortController().signal);
}
