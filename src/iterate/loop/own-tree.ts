/**
 * What a loop does with git, if its options ask for it.
 *
 * G1 A checkpoint is one commit per iteration with what changed during it, without lines that the user had not committed.
 * G2 A loop in its own worktree starts with the files of the workspace as they are. When it ends, its work is brought into the workspace;
 *    with a branch of its own, it stays on that branch. After a failure the worktree stays, for a resume.
 * G3 A commit that cannot be made is a warning: the work is in the files.
 */
import { dirname, relative, sep } from 'node:path';
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import { isPartOf } from '../../store/portable-path.ts';
import type { IterateInput } from '../input.ts';
import type { LoopEnd, LoopState } from './loop-state.ts';

const WORKTREE = 'loop';
const OPEN_KEY = stepKey('run@worktree');
const BRANCH_KEY = stepKey('run@branch');
const SAVE_KEY = stepKey('end@save');
const MERGE_KEY = stepKey('end@merge');
const LONGEST_TITLE = 72;

/** Relative to the project, with `/`: never committed, taken along or brought back. */
export function ownFolders({ projectRoot, workspacePath }: IterateInput): readonly string[] {
  const folder = dirname(workspacePath);
  const inside = folder === projectRoot ? '' : relative(projectRoot, folder);
  const isOwn = inside !== '' && isPartOf(projectRoot, folder);
  return [...(isOwn ? [inside.split(sep).join('/')] : []), '.orchestrate'];
}

/** G2. Returns the folder that the loop works in, if it is not the project itself. */
export async function enterTree(
  durable: OrchestrateDurable,
  input: IterateInput,
): Promise<
  { readonly cwd?: string } | { readonly failure: Failure; readonly retryKeys: readonly StepKey[] }
> {
  const { git } = input;
  if (git === undefined || input.dryRun === true) return {};
  let cwd: string | undefined;
  if (git.worktree) {
    const { output } = await durable.step(OPEN_KEY, 'open-worktree', {
      name: WORKTREE,
      except: ownFolders(input),
    });
    if (output.failure !== undefined) return { failure: output.failure, retryKeys: [OPEN_KEY] };
    cwd = output.folder;
  }
  if (git.branch !== undefined) {
    const { output } = await durable.step(BRANCH_KEY, 'switch-branch', {
      branch: git.branch,
      ...defined({ cwd }),
    });
    if (output.failure !== undefined) return { failure: output.failure, retryKeys: [BRANCH_KEY] };
  }
  return defined({ cwd });
}

/** G1. `before` and `after` are trees of the iteration that has just been counted. */
export async function checkpoint(
  state: LoopState,
  key: StepKey,
  { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
): Promise<void> {
  if (state.input.git?.checkpoint !== true || before === undefined || after === undefined) return;
  if (before === after) return;
  await commit(state, sideKey(key, 'commit'), { since: before, until: after, message: messageFor(state) });
}

async function commit(
  { durable, input, cwd }: LoopState,
  key: StepKey,
  change: { readonly since: string; readonly until?: string; readonly message: string },
): Promise<void> {
  const { output } = await durable.step(key, 'commit-changes', {
    ...change,
    except: ownFolders(input),
    ...defined({ cwd }),
  });
  const { failure, left = [] } = output;
  const problem =
    failure !== undefined
      ? `no commit was made: ${describeFailure(failure)}`
      : left.length > 0
        ? `not committed, because of your own uncommitted lines: ${left.join(', ')}`
        : undefined;
  if (problem === undefined) return;
  // G3
  const note = { type: 'decision', message: problem } as const;
  await durable.step(sideKey(key, 'uncommitted'), 'note', note, { syncWithNext: true });
}

/** The first line of the agent's summary is the title. */
function messageFor({ input, iteration, summary = '' }: LoopState): string {
  const [first = '', ...rest] = summary.trim().split('\n');
  const where = `Iteration ${iteration} of ${input.name}`;
  if (first === '') return `${where}\n`;
  const isLong = first.length > LONGEST_TITLE;
  const title = isLong ? `${first.slice(0, LONGEST_TITLE - 1)}…` : first;
  const body = [...(isLong ? [first] : []), ...rest].join('\n').trim();
  return `${[title, ...(body === '' ? [] : [body]), where].join('\n\n')}\n`;
}

/** G2. Returns the end, which a conflict turns into a failure. */
export async function leaveTree(state: LoopState, end: LoopEnd): Promise<LoopEnd> {
  const { durable, input, cwd } = state;
  const { git } = input;
  if (git === undefined || cwd === undefined) return end;
  const worktree = { name: WORKTREE, except: ownFolders(input) };
  const title = `${input.name}: ${state.summary?.split('\n', 1)[0] ?? end.stopReason}`;
  // What checks have left behind.
  if (git.branch !== undefined && state.tree !== undefined)
    await commit(state, stepKey('end@commit'), { since: state.tree, message: title });
  const saved = await durable.step(SAVE_KEY, 'commit-worktree', { ...worktree, message: title });
  const { failure, branch = '' } = saved.output;
  if (failure !== undefined) return failed(end, failure, [SAVE_KEY]);
  if (end.stopReason === 'failed' || end.stopReason === 'abort') {
    await say(durable, `The work is on branch ${branch}`);
    return { ...end, ...(end.retryKeys === undefined ? {} : { retryKeys: [...end.retryKeys, ...ENDING] }) };
  }
  if (git.branch !== undefined) {
    await durable.step(DISCARD_KEY, 'discard-worktree', worktree);
    await say(durable, `The work is on branch ${git.branch}`);
    return end;
  }
  const commitAs = git.checkpoint ? { commit: { message: title } } : {};
  const merged = await durable.step(MERGE_KEY, 'merge-worktree', { ...worktree, ...commitAs });
  if (merged.output.failure !== undefined) return failed(end, merged.output.failure, [SAVE_KEY, MERGE_KEY]);
  // The branch has one commit per iteration.
  await durable.step(DISCARD_KEY, 'discard-worktree', { ...worktree, keepBranch: git.checkpoint });
  const files = merged.output.files?.length ?? 0;
  const kept = git.checkpoint ? `; its iterations are on branch ${branch}` : '';
  await say(durable, `Brought into the workspace: ${files === 1 ? '1 file' : `${files} files`}${kept}`);
  return end;
}

const DISCARD_KEY = stepKey('end@discard');
const BROUGHT_KEY = stepKey('end@brought');
/** Done again when a failed loop is resumed. */
const ENDING = [SAVE_KEY, BROUGHT_KEY, stepKey('end@commit')];

async function say(durable: OrchestrateDurable, message: string): Promise<void> {
  await durable.step(BROUGHT_KEY, 'note', { type: 'decision', message }, { syncWithNext: true });
}

/** A loop that has ended with a failure keeps it. */
function failed(end: LoopEnd, failure: Failure, retryKeys: readonly StepKey[]): LoopEnd {
  const again = [...(end.retryKeys ?? []), ...retryKeys];
  return end.failure === undefined
    ? { stopReason: 'failed', failure, failedStep: MERGE_KEY, retryKeys: again }
    : { ...end, retryKeys: again };
}
