/**
 * Isolated work of a workflow: a step, an item or a branch in its own worktree. `git/worktree.ts` has the mechanism; this is its course.
 *
 *   open → setup → work ──▶ save → review → merge → discard       `settle` does the last two, in the order of the items
 *                    └────▶ save → park                           failed or rejected: the branch keeps the work
 *
 * I1 The work sees its folder as the workspace: working directory, files, checks, globs.
 * I2 Whatever fails after the work – review, merge – is repeated alone when the run is resumed. The work itself is not paid for twice.
 * I3 When the work has ended, its folder is gone. Changes that are not merged are on the branch that the failure names.
 */
import type { OrchestrateDurable } from '../effects/contracts.ts';
import { inFolder } from '../engine/in-folder.ts';
import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../model/ids.ts';
import type { Unmerged } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { Isolation } from './definition.ts';

/** One piece of isolated work. */
export interface Isolated {
  readonly durable: OrchestrateDurable;
  /** The calls that belong to it are side calls of this key. */
  readonly key: StepKey;
  /** The full key of the same. */
  readonly wholeKey: StepKey;
  /** The full key of the work, which names its branch. */
  readonly name: StepKey;
  /** How it is called in messages. */
  readonly title: string;
  readonly isolation: Isolation;
  /** The folders that steps see as the workspace, relative to the run's folder: of its own steps once it is open, and of those around it. */
  readonly inRun?: string;
  readonly around?: string;
  /** What its commit says. */
  readonly words: { readonly message: string; readonly author?: string };
}

/** Saved and waiting to be merged; without files there was nothing to save. */
export interface Saved {
  readonly files: number;
  readonly branch: string;
  /** The steps were done in an earlier turn of the run, and saving the work failed then. */
  readonly isAgain: boolean;
}

export interface Settled {
  /** Saving or merging it failed in an earlier turn of the run. */
  readonly isAgain: boolean;
}

export interface NotSaved {
  readonly failure: Failure;
  /** Full keys to repeat. */
  readonly retryKeys: readonly StepKey[];
  readonly unmerged?: Unmerged;
}

export interface Inside {
  readonly durable: OrchestrateDurable;
  readonly isolated: Isolated;
}

/** I1. `onOpen` is called when the folder has its files; `setup` may take long after that. */
export async function enter(work: Isolated, onOpen?: () => void): Promise<Result<Inside, Failure>> {
  const { durable, key, isolation, name } = work;
  const { include, setup } = isolation;
  const opened = await durable.step(sideKey(key, 'open'), 'open-worktree', {
    ...{ name, include },
    ...defined({ setup }),
  });
  onOpen?.();
  const { failure, inRun } = opened.output;
  if (failure !== undefined || inRun === undefined)
    return error(failure ?? { type: 'internal-error', message: 'the worktree has no folder' });
  const inside = { durable: inFolder(durable, inRun), isolated: { ...work, inRun } };
  if (setup === undefined) return ok(inside);
  const { output } = await inside.durable.step(sideKey(key, 'setup'), 'run-command', {
    argv: setup,
    capture: 'text',
  });
  return output.failure === undefined ? ok(inside) : error(output.failure);
}

/** The calls of a piece of work that failed: all of them are repeated. */
export function callsOf({ wholeKey }: Pick<Isolated, 'wholeKey'>): readonly StepKey[] {
  return ['open', 'setup', 'save', 'park'].map((side) => sideKey(wholeKey, side));
}

/** After the work has failed (I3). */
export async function park(work: Isolated): Promise<Unmerged | undefined> {
  const { durable, key, name } = work;
  const { output } = await durable.step(sideKey(key, 'save'), 'commit-worktree', {
    name,
    message: `${work.title}: unfinished`,
  });
  // The folder stays if its contents could not be saved.
  if (output.failure !== undefined) return undefined;
  const files = (output.files ?? []).map(({ path }) => path);
  await durable.step(sideKey(key, 'park'), 'discard-worktree', { name, keepBranch: files.length > 0 });
  return files.length === 0 || output.branch === undefined
    ? undefined
    : { branch: output.branch, files, reason: 'failed' };
}

/** After the work has succeeded: its changes are on the branch and, with `review`, accepted by a person. */
export async function save(work: Isolated): Promise<Saved | NotSaved> {
  const { durable, key, wholeKey, name, isolation, title } = work;
  const { output } = await durable.step(sideKey(key, 'save'), 'commit-worktree', { name, ...work.words });
  if (output.failure !== undefined)
    return { failure: output.failure, retryKeys: [sideKey(wholeKey, 'save')] };
  const { branch = '', files = [], patch, isAgain = false } = output;
  const saved = { files: files.length, branch, isAgain };
  if (!isolation.review || files.length === 0) return saved;
  const review = stepKey(reviewKey(key));
  const answer = await durable.answer(review, {
    message: `Merge the work of ${title}? ${summary(files)}`,
    choices: ['accept', 'reject'],
    ...defined({ diff: patch }),
  });
  if (answer.choice === 'accept') return saved;
  await durable.step(sideKey(key, 'park'), 'discard-worktree', { name, keepBranch: true });
  const comment = answer.type === 'chosen' ? answer.comment : undefined;
  const paths = files.map(({ path }) => path);
  return {
    failure: { type: 'rejected', branch, ...defined({ comment }) },
    retryKeys: [],
    unmerged: { branch, files: paths, reason: 'rejected', ...defined({ comment }) },
  };
}

/** The patch of what the work has changed so far, relative to the run's folder; undefined if nothing. */
export async function diffOf(
  durable: OrchestrateDurable,
  { name, title, around }: Isolated,
  key: StepKey,
): Promise<string | undefined> {
  const input = { name, message: `${title}: unfinished` };
  const { output } = await durable.step(sideKey(key, 'diff'), 'commit-worktree', input, { folder: around });
  return output.patch;
}

/** `Loop/3/item` → `Loop/3/review`, `Fix` → `Fix/review`. */
function reviewKey(key: StepKey): string {
  return key === ITEM || key.endsWith(`/${ITEM}`) ? `${key.slice(0, -ITEM.length)}review` : `${key}/review`;
}

/** The name under which calls about a whole item or branch are stored, beside its steps. */
export const ITEM = 'item';

const FILES_SHOWN = 10;

function summary(files: readonly { readonly path: string; readonly change: string }[]): string {
  const shown = files.slice(0, FILES_SHOWN).map(({ path, change }) => `${path} (${change})`);
  const more = files.length - shown.length;
  return `${files.length} ${files.length === 1 ? 'file' : 'files'} changed: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** I2, I3. `work`: with the durable of the steps around it. */
export async function settle(work: Isolated, saved: Saved): Promise<NotSaved | Settled> {
  const { durable, key, wholeKey, name, isolation } = work;
  const commit = isolation.commit === undefined ? undefined : work.words;
  const merged =
    saved.files === 0
      ? undefined
      : await durable.step(sideKey(key, 'merge'), 'merge-worktree', { name, ...defined({ commit }) });
  const failure = merged?.output.failure;
  const keepBranch = failure !== undefined;
  await durable.step(sideKey(key, 'discard'), 'discard-worktree', { name, keepBranch });
  if (failure === undefined) return { isAgain: saved.isAgain || merged?.output.isAgain === true };
  const files = failure.type === 'conflict' ? failure.files : [];
  return {
    failure,
    retryKeys: [sideKey(wholeKey, 'merge'), sideKey(wholeKey, 'discard')],
    unmerged: {
      branch: saved.branch,
      files,
      reason: failure.type === 'conflict' ? 'conflict' : 'failed',
      ...(failure.type === 'conflict' ? {} : { comment: describeFailure(failure) }),
    },
  };
}

/** For work that was stopped because it is no longer wanted. */
export async function drop({ durable, key, name }: Isolated): Promise<void> {
  await durable.step(sideKey(key, 'discard'), 'discard-worktree', { name });
}
