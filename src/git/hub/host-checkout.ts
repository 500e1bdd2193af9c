/**
 * The files of a run on its host: a checkout of the head, in which the effects run that do not travel.
 *
 * F1 Before such an effect starts, the checkout has the files of the head. What it changes is in the head before its step is recorded.
 * F2 Only one at a time changes the checkout or reads it as a whole. An effect that takes long changes files meanwhile: what it has written by
 *    then is merged like the work of a call.
 * F3 A commit that an effect makes in it becomes part of the head.
 * F4 Files of the run's own folder that a later host needs move together with the head.
 */
import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { gitFailure } from '../git.ts';
import { headOf, openRepository, type Repository, treeOf } from '../repository.ts';
import { addedTree } from '../trees.ts';
import { addWorktree, dropWorktree } from './add-worktree.ts';
import type { Clone } from './clone.ts';
import type { RefMove } from './hub.ts';
import type { Lost, RunHead } from './run-head.ts';

export interface HostCheckoutInput {
  readonly runId: string;
  /** The folder of the run in the repository: `` or `sub/folder/`. */
  readonly prefix: string;
  /** Patterns of ignored files that belong to the run, relative to its folder. */
  readonly include: readonly string[];
  /** Patterns of files that do not, likewise. */
  readonly without: readonly string[];
  readonly signal: AbortSignal;
  /** It is on a branch that is moved with the work: F3 does not apply. */
  readonly hasBranch?: boolean;
}

/** Another process may be writing a file at this moment. */
const MOST_TRIES = 5;

export class HostCheckout {
  readonly #clone: Clone;
  readonly #head: RunHead;
  readonly #input: HostCheckoutInput;
  readonly #folder: string;
  readonly #repository: Repository;
  /** The tree that the checkout and the head had in common last. */
  #common: string;
  /** The head that it was brought to. */
  #commit: string;
  /** The commit that it was on last. */
  #on: string;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(
    { clone, head, input }: { clone: Clone; head: RunHead; input: HostCheckoutInput },
    {
      folder,
      repository,
      common,
      on,
    }: { folder: string; repository: Repository; common: string; on: string },
  ) {
    this.#clone = clone;
    this.#head = head;
    this.#input = input;
    this.#folder = folder;
    this.#repository = repository;
    this.#common = common;
    this.#commit = head.commit;
    this.#on = on;
  }

  static async open(
    clone: Clone,
    head: RunHead,
    input: HostCheckoutInput,
  ): Promise<Result<HostCheckout, Failure>> {
    const { runId, prefix, signal } = input;
    const folder = join(clone.runs, runId);
    const base = head.commit;
    const made = await addWorktree(clone, { folder, base, prefix, signal });
    return made.type === 'error' ? made : HostCheckout.adopt(clone, head, { ...input, folder, on: base });
  }

  /** A worktree that is there, with the files of the commit that it is on. */
  static async adopt(
    clone: Clone,
    head: RunHead,
    input: HostCheckoutInput & { readonly folder: string; readonly on: string },
  ): Promise<Result<HostCheckout, Failure>> {
    const { prefix, folder, on } = input;
    const repository = await openRepository((argv, options) => clone.git(argv, { cwd: folder, ...options }));
    if (repository.type === 'error') return repository;
    const common = await treeOf(clone.git, on);
    if (common.type === 'error') return common;
    const opened = { folder, repository: { ...repository.value, prefix }, common: common.value, on };
    return ok(new HostCheckout({ clone, head, input }, opened));
  }

  /** Absolute: the folder of the run in it. */
  get workspace(): string {
    return join(this.#folder, this.#input.prefix);
  }

  /** Nothing has been merged since it was brought up to date. */
  get isCurrent(): boolean {
    return this.#commit === this.#head.commit;
  }

  get repository(): Repository {
    return this.#repository;
  }

  /** F2: `work` has the checkout to itself. */
  alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** F1, F3, F4: brings both to the same files. Only inside `alone`. */
  async settle(given: {
    readonly message: string;
    readonly moves?: readonly RefMove[];
  }): Promise<Result<Lost | undefined, Failure>> {
    const { git } = this.#repository;
    let { moves = [] } = given;
    for (let tried = 1; ; tried += 1) {
      const here = await this.#tree();
      if (here.type === 'error') return here;
      const change = { from: this.#common, to: here.value };
      // F3
      const on = (await headOf(git)) ?? this.#on;
      const made = on === this.#on || this.#input.hasBranch === true ? undefined : on;
      const put = await this.#head.put(change, { message: given.message, moves, ...defined({ made }) });
      if (put.type === 'error' || put.value === 'lost') return put;
      this.#on = on;
      moves = [];
      const { commit } = this.#head;
      const target = await treeOf(git, commit);
      if (target.type === 'error') return target;
      if (target.value !== here.value) {
        const brought = await git(['read-tree', '-m', '-u', here.value, target.value]);
        if (brought.exitCode !== 0) {
          if (tried === MOST_TRIES) return error(gitFailure('update the checkout', brought));
          this.#common = here.value;
          continue;
        }
      }
      this.#common = target.value;
      this.#commit = commit;
      return ok(undefined);
    }
  }

  /** Before a commit is made in it: it is on the head. Only inside `alone`, when both have the same files. */
  async align(): Promise<Result<void, Failure>> {
    const { git } = this.#repository;
    const moved = await git(['update-ref', '--no-deref', 'HEAD', this.#commit]);
    if (moved.exitCode !== 0) return error(gitFailure('update the checkout', moved));
    this.#on = this.#commit;
    return ok(undefined);
  }

  #tree(): Promise<Result<string, Failure>> {
    const { prefix, include, without } = this.#input;
    const index = join(this.#repository.gitDir, 'index');
    return addedTree(this.#repository, {
      ...{ index, except: [`${prefix}.orchestrate`] },
      include: include.map((pattern) => `${prefix}${pattern}`),
      without: without.map((pattern) => `${prefix}${pattern}`),
    });
  }

  close(): Promise<Result<void, Failure>> {
    return dropWorktree(this.#clone, this.#folder, new AbortController().signal);
  }
}
