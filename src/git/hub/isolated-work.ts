/**
 * Isolated work of a run on its host: the worktrees that `../worktree.ts` makes from the host's checkout. Each has a head of its own in the hub, from
 * which its calls get their files and into which their work is merged, like the run itself.
 *
 * I1 What a later host needs is in the hub before it is recorded: the head, and copies of the refs by which `../worktree.ts` knows the work.
 * I2 A later host makes the worktree again from its head, which it claims first (H5 of `run-head.ts`).
 * I3 Work that is not merged is kept in the hub as a branch for `pull`; a merge or a later attempt starts from it.
 */
import { dirname, join } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { ownCommit } from '../commit-tree.ts';
import { gitFailure } from '../git.ts';
import { inTurn } from '../in-turn.ts';
import { removeWorktree } from '../remove-worktree.ts';
import { commitNamed, treeOf } from '../repository.ts';
import { type WorktreeNames, worktreeNames } from '../worktree-names.ts';
import { dropWorktree } from './add-worktree.ts';
import type { Clone } from './clone.ts';
import { HostCheckout, type HostCheckoutInput } from './host-checkout.ts';
import { deleteRefs, fetchMatching, forgetRefs, localCopy, moveRefs, type RefMove } from './hub.ts';
import { isolatedRef, isolatedRefs, keptBranches, keptRef } from './hub-refs.ts';
import { RunHead } from './run-head.ts';

export interface IsolatedPlace extends HostCheckoutInput {
  /** The name of the work, or the part of its refs and folder that is made of it. */
  readonly work: string;
  /** Absolute: where the worktrees of the run are. */
  readonly worktrees: string;
  /** Who hosts the run. */
  readonly host: string;
}

export interface IsolatedWork {
  readonly head: RunHead;
  readonly checkout: HostCheckout;
  /** Absolute. */
  readonly folder: string;
  /** The command that prepares a checkout of it. */
  readonly setup?: readonly string[];
}

function namesOf({ runId, work }: IsolatedPlace): WorktreeNames {
  return worktreeNames(runId, work, keptBranches(runId));
}

/** What `folderName` is made of. */
export function workOfFolder(runId: string, folderName: string): string {
  return folderName.slice(0, -(runId.length - runId.lastIndexOf('-')));
}

/** The worktree has just been made, or made again from saved work. I1 */
export async function beginIsolated(
  clone: Clone,
  place: IsolatedPlace,
  setup: readonly string[] | undefined,
): Promise<Result<IsolatedWork, Failure>> {
  const { runId, work } = place;
  const { git } = clone;
  const names = namesOf(place);
  const base = await commitNamed(git, names.base);
  const commit = (await commitNamed(git, names.work)) ?? base;
  if (base === undefined || commit === undefined) throw new Error(`isolated work \`${work}\` has no base`);
  const ref = isolatedRef(runId, work, 'head');
  const moves: RefMove[] = [
    { ref, to: commit, isForced: true },
    { ref: isolatedRef(runId, work, 'base'), to: base, isForced: true },
  ];
  if (setup !== undefined) {
    const tree = await treeOf(git, undefined);
    if (tree.type === 'error') return tree;
    const said = await ownCommit(git, tree.value, { message: JSON.stringify(setup) });
    if (said.type === 'error') return said;
    moves.push({ ref: isolatedRef(runId, work, 'setup'), to: said.value, isForced: true });
  }
  const moved = await moveRefs(clone, moves);
  if (moved.type === 'error') return moved;
  return adopted(clone, place, { head: new RunHead(clone, { runId, ref, commit }), on: commit, setup });
}

async function adopted(
  clone: Clone,
  place: IsolatedPlace,
  {
    head,
    on,
    setup,
  }: { readonly head: RunHead; readonly on: string; readonly setup: readonly string[] | undefined },
): Promise<Result<IsolatedWork, Failure>> {
  const folder = join(place.worktrees, namesOf(place).folderName);
  const checkout = await HostCheckout.adopt(clone, head, { ...place, folder, on, hasBranch: true });
  return checkout.type === 'error'
    ? checkout
    : ok({ head, checkout: checkout.value, folder, ...defined({ setup }) });
}

/** I2. Undefined if it is not open; work that is saved can be merged or continued then. */
export async function restoreIsolated(
  clone: Clone,
  place: IsolatedPlace,
): Promise<Result<IsolatedWork | undefined, Failure>> {
  const { runId, work, worktrees, host, signal } = place;
  const { git } = clone;
  const names = namesOf(place);
  const refs = isolatedRefs(runId, work);
  const forgotten = await forgetRefs(git, refs);
  if (forgotten.type === 'error') return forgotten;
  const fetched = await inTurn(clone, signal, () => fetchMatching(clone, [`${refs}*`]));
  if (fetched.type === 'error') return fetched;
  const copy = (what: Parameters<typeof isolatedRef>[2]): Promise<string | undefined> =>
    commitNamed(git, localCopy(isolatedRef(runId, work, what)));
  const [base, saved, commit] = [await copy('base'), await copy('work'), await copy('head')];
  if (base === undefined) return ok(undefined);
  const branch = `refs/heads/${names.branch}`;
  const start = saved ?? base;
  const set = await git(['update-ref', '--stdin'], {
    stdin: [
      `update ${names.base} ${base}`,
      ...(saved === undefined ? [] : [`update ${names.work} ${saved}`]),
      `update ${branch} ${start}\n`,
    ].join('\n'),
  });
  if (set.exitCode !== 0) return error(gitFailure('restore isolated work', set));
  if (commit === undefined) return ok(undefined);
  const ref = isolatedRef(runId, work, 'head');
  clone.whole.add(commit);
  const head = new RunHead(clone, { runId, ref, commit });
  const claimed = await head.claim(host);
  if (claimed.type === 'error') return claimed;
  const folder = join(worktrees, names.folderName);
  const made = await inTurn<void>(clone, signal, async () => {
    await removeWorktree(git, { folder, home: clone });
    makeFolder(dirname(folder));
    const added = await git(['worktree', 'add', '--quiet', folder, names.branch]);
    return added.exitCode === 0 ? ok(undefined) : error(gitFailure('create a worktree', added));
  });
  if (made.type === 'error') return made;
  const said = await git(['log', '-1', '--format=%B', localCopy(isolatedRef(runId, work, 'setup'))]);
  const setup = said.exitCode === 0 ? (JSON.parse(said.stdout) as readonly string[]) : undefined;
  return adopted(clone, place, { head, on: start, setup });
}

/** Its work was committed. I1 */
export async function saveIsolated(clone: Clone, place: IsolatedPlace): Promise<Result<void, Failure>> {
  const to = await commitNamed(clone.git, namesOf(place).work);
  if (to === undefined) return ok(undefined);
  const ref = isolatedRef(place.runId, place.work, 'work');
  const moved = await moveRefs(clone, [{ ref, to, isForced: true }]);
  return moved.type === 'error' ? moved : ok(undefined);
}

/** Its worktree was discarded. I3 */
export async function endIsolated(
  clone: Clone,
  place: IsolatedPlace,
  { isKept }: { readonly isKept: boolean },
): Promise<Result<void, Failure>> {
  const { runId, work } = place;
  const kept = keptRef(runId, work);
  if (!isKept) {
    const gone = await deleteRefs(clone, `${isolatedRefs(runId, work)}*`);
    return gone.type === 'error' ? gone : deleteRefs(clone, kept);
  }
  const branch = await commitNamed(clone.git, `refs/heads/${namesOf(place).branch}`);
  if (branch !== undefined) {
    const moved = await moveRefs(clone, [{ ref: kept, to: branch, isForced: true }]);
    if (moved.type === 'error') return moved;
  }
  return deleteRefs(clone, isolatedRef(runId, work, 'head'));
}

/** The folder alone: the host stops. */
export function leaveIsolated(clone: Clone, { folder }: IsolatedWork): Promise<Result<void, Failure>> {
  return dropWorktree(clone, folder, new AbortController().signal);
}
