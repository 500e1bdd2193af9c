/**
 * The files of a run in the hub, as its host keeps them: each call starts from them, and what it changed is merged into them.
 *
 * H1 Only the host of a run moves its head, and only from where it has left it: a host that has lost the run is refused by the hub.
 * H2 What a call changed is merged once, however often it is taken: a merge has the call's commit as a parent.
 * H3 Lines that two calls changed differently are a failure `conflict` with the names of the files. The head stays; so does the call's commit.
 * H4 Merges are made one after another, in the order of the calls of `take` and `put`.
 * H5 A host that takes a run over moves the head first, to a commit of its own with the same files: from then on, H1 refuses the earlier one.
 */
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { userCommit } from '../commit-tree.ts';
import { failedGit } from '../git.ts';
import { treeOf } from '../repository.ts';
import { hasTree } from '../snapshot.ts';
import { type Change, carryOver } from '../three-way.ts';
import { entriesBetween } from '../trees.ts';
import { OWN_REFS } from '../worktree-names.ts';
import type { Clone } from './clone.ts';
import { fetchInTurn } from './fetch-in-turn.ts';
import { deleteRefs, forgetRefs, moveRefs, type RefMove, readRef } from './hub.ts';
import {
  baseRef,
  callRefs,
  executionRef,
  filesRef,
  headRef,
  keptBranch,
  keptRef,
  keptRefs,
  startRef,
} from './hub-refs.ts';

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
  /** Where the hub has it: the head of the run, or of isolated work. */
  readonly #ref: string;
  #commit: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clone: Clone, at: { readonly runId: string; readonly ref: string; readonly commit: string }) {
    this.#clone = clone;
    this.#runId = at.runId;
    this.#ref = at.ref;
    this.#commit = at.commit;
  }

  static async open(clone: Clone, runId: string): Promise<Result<RunHead, Failure>> {
    const ref = headRef(runId);
    const head = await fetchInTurn(clone, ref);
    if (head.type === 'error') return head;
    if (head.value === undefined) return error(failedGit(`found no run \`${runId}\` in the hub`));
    return ok(new RunHead(clone, { runId, ref, commit: head.value }));
  }

  get commit(): string {
    return this.#commit;
  }

  /** H5. `host`: who takes it over. */
  async claim(host: string): Promise<Result<void, Failure>> {
    const ref = this.#ref;
    for (;;) {
      const { git } = this.#clone;
      const tree = await treeOf(git, this.#commit);
      if (tree.type === 'error') return tree;
      const message = `Run taken over by ${host}`;
      const own = await userCommit(git, tree.value, { parents: [this.#commit], message });
      if (own.type === 'error') return own;
      const moved = await moveRefs(this.#clone, [{ ref, from: this.#commit, to: own.value }]);
      if (moved.type === 'error') return moved;
      // The earlier host was faster: this one continues from there.
      const now = moved.value ? ok(own.value) : await fetchInTurn(this.#clone, ref);
      if (now.type === 'error') return now;
      if (now.value === undefined) return error(failedGit(`found no run \`${this.#runId}\` in the hub`));
      this.#clone.whole.add(now.value);
      this.#commit = now.value;
      if (moved.value) return ok(undefined);
    }
  }

  /** A change of the host's own, with refs that move together with the head. H4 */
  put(
    change: Change,
    {
      message,
      moves = [],
      made,
    }: {
      readonly message: string;
      readonly moves?: readonly RefMove[];
      /** The commit in which the host has made it: it becomes part of the head. */
      readonly made?: string;
    },
  ): Promise<Result<Lost | undefined, Failure>> {
    return this.#inTurn(async () => {
      const onto = await treeOf(this.#clone.git, this.#commit);
      if (onto.type === 'error') return onto;
      const merged = await carryOver(this.#clone.git, change, onto.value);
      if (merged.type === 'error') return merged;
      const moved =
        merged.value === onto.value && made === undefined
          ? await this.#moveOthers(moves)
          : await this.#moveTo(merged.value, { ...(await this.#asMade(merged.value, made)), message, moves });
      if (moved.type === 'error') return moved;
      return ok(moved.value === 'lost' ? 'lost' : undefined);
    });
  }

  /** The commit itself, if nothing was merged meanwhile. */
  async #asMade(
    tree: string,
    made: string | undefined,
  ): Promise<{ readonly parents: readonly string[]; readonly commit?: string }> {
    if (made === undefined) return { parents: [this.#commit] };
    const { git } = this.#clone;
    const isOnTop = await git(['merge-base', '--is-ancestor', this.#commit, made]);
    const isSame = await hasTree(git, made, tree);
    const parents = [this.#commit, made];
    return isOnTop.exitCode === 0 && isSame ? { parents, commit: made } : { parents };
  }

  async #moveOthers(moves: readonly RefMove[]): Promise<Result<Lost | string, Failure>> {
    if (moves.length === 0) return ok(this.#commit);
    const moved = await moveRefs(this.#clone, moves);
    return moved.type === 'error' ? moved : ok(moved.value ? this.#commit : 'lost');
  }

  /** H1 */
  async #moveTo(
    tree: string,
    given: {
      readonly parents: readonly string[];
      readonly message: string;
      readonly moves?: readonly RefMove[];
      readonly commit?: string;
    },
  ): Promise<Result<Lost | string, Failure>> {
    const { parents, message, moves = [] } = given;
    const commit =
      given.commit === undefined
        ? await userCommit(this.#clone.git, tree, { parents, message })
        : ok(given.commit);
    if (commit.type === 'error') return commit;
    const own = { ref: this.#ref, from: this.#commit, to: commit.value };
    const moved = await moveRefs(this.#clone, [own, ...moves]);
    if (moved.type === 'error') return moved;
    if (!moved.value) return ok('lost');
    this.#clone.whole.add(commit.value);
    this.#commit = commit.value;
    return ok(commit.value);
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Gives a call its files. A call that was given them before, also by an earlier host, keeps those. */
  async offer(call: string): Promise<Result<HubCall, Failure>> {
    const ref = baseRef(this.#runId, call);
    const to = this.#commit;
    const pushed = await moveRefs(this.#clone, [{ ref, to }]);
    if (pushed.type === 'error') return pushed;
    if (pushed.value) return ok({ runId: this.#runId, call, base: to });
    const known = await fetchInTurn(this.#clone, ref);
    if (known.type === 'error') return known;
    return known.value === undefined
      ? error(failedGit(`lost the ref \`${ref}\` of the hub`))
      : ok({ runId: this.#runId, call, base: known.value });
  }

  /** H4 */
  take(call: HubCall, work: HubWork): Promise<Result<Taken | Lost, Failure>> {
    return this.#inTurn(() => this.#merge(call, work));
  }

  async #merge(call: HubCall, { execution, done }: HubWork): Promise<Result<Taken | Lost, Failure>> {
    const { git } = this.#clone;
    if (done === call.base) return this.#unlessLost({ commit: this.#commit, files: [] });
    const fetched = await fetchInTurn(this.#clone, executionRef({ ...call, execution }, 'done'), done);
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
    if (merged.type === 'error')
      return merged.error.type === 'conflict' ? this.#keep(call, done, merged.error) : merged;
    const parents = [this.#commit, done];
    const moved = await this.#moveTo(merged.value, { parents, message: `Merge step ${call.call}` });
    if (moved.type === 'error') return moved;
    return ok(moved.value === 'lost' ? 'lost' : { commit: moved.value, files });
  }

  /** H3: the refs of calls are removed at the end, this one is not. */
  async #keep(
    { call }: HubCall,
    done: string,
    conflict: Extract<Failure, { type: 'conflict' }>,
  ): Promise<Result<Taken | Lost, Failure>> {
    const ref = keptRef(this.#runId, call);
    const kept = await moveRefs(this.#clone, [{ ref, to: done, isForced: true }]);
    return kept.type === 'error' ? kept : error({ ...conflict, branch: keptBranch(this.#runId, call) });
  }

  async #unlessLost(taken: Taken): Promise<Result<Taken | Lost, Failure>> {
    const head = await readRef(this.#clone, this.#ref);
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
  const patterns = [`${keptRefs(runId)}*`, `${OWN_REFS}${runId}/isolated/*`];
  for (const pattern of [startRef(runId), headRef(runId), filesRef(runId), ...patterns]) {
    const deleted = await deleteRefs(clone, pattern);
    if (deleted.type === 'error') return deleted;
  }
  return ok(undefined);
}
