/** The isolated work of a hosted run (`git/hub/isolated-work.ts`), found by the names that effects have for it. */
import { join, relative } from 'node:path';
import type { RunSite } from '../../engine/durable.ts';
import type { Clone } from '../../git/hub/clone.ts';
import { keptBranches } from '../../git/hub/hub-refs.ts';
import {
  beginIsolated,
  endIsolated,
  type IsolatedPlace,
  type IsolatedWork,
  leaveIsolated,
  restoreIsolated,
  saveIsolated,
  workOfFolder,
} from '../../git/hub/isolated-work.ts';
import { refStem } from '../../git/worktree-names.ts';
import type { EffectName } from '../../model/effect.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import type { EffectOutput } from '../../model/record.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runPathsIn } from '../../store/layout.ts';

/** The effects that make, save, merge and discard a worktree. */
const OF_WORKTREES: ReadonlySet<EffectName> = new Set([
  'open-worktree',
  'commit-worktree',
  'merge-worktree',
  'discard-worktree',
]);

export function isOfWorktrees(name: EffectName): boolean {
  return OF_WORKTREES.has(name);
}

interface WorktreeCall {
  readonly name: string;
  readonly setup?: readonly string[];
  readonly keepBranch?: boolean;
  readonly commit?: unknown;
}

export class IsolatedWorks {
  readonly #clone: Clone;
  readonly #place: Omit<IsolatedPlace, 'work' | 'worktrees'>;
  readonly #worktrees: string;
  /** An earlier host may have left some in the hub. */
  readonly #isTakenOver: boolean;
  /** By the part of its refs. */
  readonly #known = new Map<string, Promise<Result<IsolatedWork | undefined, Failure>>>();

  constructor(
    clone: Clone,
    place: Omit<IsolatedPlace, 'work' | 'worktrees'>,
    { directory, isTakenOver }: { readonly directory: string; readonly isTakenOver: boolean },
  ) {
    this.#clone = clone;
    this.#place = place;
    this.#worktrees = runPathsIn(directory).worktrees;
    this.#isTakenOver = isTakenOver;
  }

  /** The beginning of the branches of work that is not merged. */
  get branches(): string {
    return keptBranches(this.#place.runId);
  }

  /** Whose worktree an effect sees as the workspace; undefined: it sees the workspace. */
  async around({ home, workspace }: RunSite): Promise<Result<IsolatedWork | undefined, Failure>> {
    if (home === undefined) return ok(undefined);
    const [folderName = ''] = relative(this.#worktrees, workspace).split('/');
    const found = await this.find(workOfFolder(this.#place.runId, folderName));
    if (found.type === 'error' || found.value !== undefined) return found;
    return error({ type: 'file', operation: 'work in', path: join('worktrees', folderName), code: 'ENOENT' });
  }

  /** `work`: its name. Undefined if it is not open. */
  find(work: string): Promise<Result<IsolatedWork | undefined, Failure>> {
    const stem = refStem(work);
    const known = this.#known.get(stem);
    if (known !== undefined) return known;
    if (!this.#isTakenOver) return Promise.resolve(ok(undefined));
    const restored = restoreIsolated(this.#clone, this.#at(stem)).then((result) => {
      if (result.type === 'error') this.#known.delete(stem);
      return result;
    });
    this.#known.set(stem, restored);
    return restored;
  }

  /** After one of the effects: what a later host needs is in the hub. */
  async follow(effect: EffectName, input: JsonValue, output: EffectOutput): Promise<Result<void, Failure>> {
    if (output.failure !== undefined) return ok(undefined);
    const { name, setup, keepBranch } = input as unknown as WorktreeCall;
    const place = this.#at(refStem(name));
    if (effect === 'open-worktree') {
      const known = await this.find(name);
      if (known.type === 'error') return known;
      if (known.value !== undefined) return ok(undefined);
      const begun = beginIsolated(this.#clone, place, setup);
      this.#known.set(place.work, begun);
      const result = await begun;
      if (result.type === 'error') this.#known.delete(place.work);
      return result.type === 'error' ? result : ok(undefined);
    }
    if (effect === 'commit-worktree') return saveIsolated(this.#clone, place);
    if (effect !== 'discard-worktree') return ok(undefined);
    this.#known.set(place.work, Promise.resolve(ok(undefined)));
    return endIsolated(this.#clone, place, { isKept: keepBranch === true });
  }

  #at(work: string): IsolatedPlace {
    return { ...this.#place, work, worktrees: this.#worktrees };
  }

  /** Those that are open. */
  async open(): Promise<readonly IsolatedWork[]> {
    const all = await Promise.all(this.#known.values());
    return all.flatMap((each) => (each.type === 'ok' && each.value !== undefined ? [each.value] : []));
  }

  leave(work: IsolatedWork): Promise<Result<void, Failure>> {
    return leaveIsolated(this.#clone, work);
  }
}

/** Whether it makes a commit of the user's, or starts from the current one: the checkout must then be on it. */
export function needsHead(effect: EffectName, input: JsonValue): boolean {
  const { commit } = input as unknown as WorktreeCall;
  return effect === 'open-worktree' || (effect === 'merge-worktree' && commit !== undefined);
}

export function nameIn(input: JsonValue): string {
  return (input as unknown as WorktreeCall).name;
}
