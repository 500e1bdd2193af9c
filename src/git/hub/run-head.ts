/**
 * The files of a run in the hub, as its host keeps them: each call starts from them, and what it changed is merged into them.
 *
 * H1 Only the host of a run moves its head, and only from where it has left it: a host that has lost the run is refused by the hub.
 * H2 What a call changed is merged once, however often it is taken: a merge has the call's commit as a parent.
 * H3 Lines that two calls changed differently are a failure `conflict` with the names of the files. The head stays; so does the call's commit.
 * H4 Merges are made one after another, in the order of the calls of `take`.
 */
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { userCommit } from '../commit-tree.ts';
import { failedGit } from '../git.ts';
import { treeOf } from '../repository.ts';
import { carryOver } from '../three-way.ts';
import { entriesBetween } from '../trees.ts';
import type { Clone } from './clone.ts';
import { deleteRefs, fetchRef, forgetRefs, moveRefs, readRef } from './hub.ts';
import { baseRef, callRefs, executionRef, headRef, startRef } from './hub-refs.ts';

/** A call as its worker receives it: data. */
export interface HubCall {
  readonly runId: string;
  /** Unique in the run. */
  readonly call: string;
  /** The commit it starts with. */
  readonly base: string;
}

/** What a worker reports. */
export interface HubWork {
  readonly execution: string;
  /** The commit it left behind; the base if nothing changed. */
  readonly done: string;
}

export interface Taken {
  /** The head with the work. */
  readonly commit: string;
  /** From the top of the repository: what the call changed. */
  readonly files: readonly string[];
}

/** The hub has another head: this process is no longer the host. */
export type Lost = 'lost';

export class RunHead {
  readonly #clone: Clone;
  readonly #runId: string;
  #commit: string;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(clone: Clone, runId: string, commit: string) {
    this.#clone = clone;
    this.#runId = runId;
    this.#commit = commit;
  }

  static async open(clone: Clone, runId: string): Promise<Result<RunHead, Failure>> {
    const head = await fetchRef(clone, headRef(runId));
    if (head.type === 'error') return head;
    if (head.value === undefined) return error(failedGit(`found no run \`${runId}\` in the hub`));
    return ok(new RunHead(clone, runId, head.value));
  }

  get commit(): string {
    return this.#commit;
  }

  /** Gives a call its files. A call that was given them before, also by an earlier host, keeps those. */
  async offer(call: string): Promise<Result<HubCall, Failure>> {
    const ref = baseRef(this.#runId, call);
    const to = this.#commit;
    const pushed = await moveRefs(this.#clone, [{ ref, to }]);
    if (pushed.type === 'error') return pushed;
    if (pushed.value) return ok({ runId: this.#runId, call, base: to });
    const known = await fetchRef(this.#clone, ref);
    if (known.type === 'error') return known;
    return known.value === undefined
      ? error(failedGit(`lost the ref \`${ref}\` of the hub`))
      : ok({ runId: this.#runId, call, base: known.value });
  }

  /** H4 */
  take(call: HubCall, work: HubWork): Promise<Result<Taken | Lost, Failure>> {
    const taken = this.#last.then(() => this.#merge(call, work));
    this.#last = taken.catch(() => {});
    return taken;
  }

  async #merge(call: HubCall, { execution, done }: HubWork): Promise<Result<Taken | Lost, Failure>> {
    const { git } = this.#clone;
    if (done === call.base) return this.#unlessLost({ commit: this.#commit, files: [] });
    const fetched = await fetchRef(this.#clone, executionRef({ ...call, execution }, 'done'));
    if (fetched.type === 'error') return fetched;
    if (fetched.value !== done) return error(failedGit(`found no work of \`${call.call}\` in the hub`));
    const [from, to, onto] = await Promise.all(
      [call.base, done, this.#commit].map((each) => treeOf(git, each)),
    );
    for (const tree of [from, to, onto]) if (tree?.type === 'error') return tree;
    if (from?.type !== 'ok' || to?.type !== 'ok' || onto?.type !== 'ok') throw new Error('a tree is missing');
    const entries = await entriesBetween(git, from.value, to.value);
    if (entries.type === 'error') return entries;
    const files = entries.value.map(({ path }) => path);
    // H2
    const isIn = await git(['merge-base', '--is-ancestor', done, this.#commit]);
    if (isIn.exitCode === 0) return this.#unlessLost({ commit: this.#commit, files });
    // H3
    const merged = await carryOver(git, { from: from.value, to: to.value }, onto.value);
    if (merged.type === 'error') return merged;
    const parents = [this.#commit, done];
    const commit = await userCommit(git, merged.value, { parents, message: `Merge step ${call.call}` });
    if (commit.type === 'error') return commit;
    const ref = headRef(this.#runId);
    // H1
    const moved = await moveRefs(this.#clone, [{ ref, from: this.#commit, to: commit.value }]);
    if (moved.type === 'error') return moved;
    if (!moved.value) return ok('lost');
    this.#commit = commit.value;
    return ok({ commit: commit.value, files });
  }

  async #unlessLost(taken: Taken): Promise<Result<Taken | Lost, Failure>> {
    const head = await readRef(this.#clone, headRef(this.#runId));
    if (head.type === 'error') return head;
    return ok(head.value === this.#commit ? taken : 'lost');
  }
}

/** At the end of a run: its calls are removed from the hub. The head stays, for `pull`. */
export async function endAtHub(clone: Clone, runId: string): Promise<Result<void, Failure>> {
  const deleted = await deleteRefs(clone, `${callRefs(runId)}*`);
  return deleted.type === 'error' ? deleted : forgetRefs(clone.git, callRefs(runId));
}

/** Removes everything of a run from the hub. */
export async function forgetAtHub(clone: Clone, runId: string): Promise<Result<void, Failure>> {
  const ended = await endAtHub(clone, runId);
  if (ended.type === 'error') return ended;
  for (const ref of [startRef(runId), headRef(runId)]) {
    const deleted = await deleteRefs(clone, ref);
    if (deleted.type === 'error') return deleted;
  }
  return ok(undefined);
}
