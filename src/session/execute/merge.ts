/** Worktrees of tasks: created when a task starts, merged when the tasks running in parallel have ended too. */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { sideKey, stepKey } from '../../model/ids.ts';
import { commitMessage } from '../commit-message.ts';
import type { TaskId } from '../ids.ts';
import { WORKFLOW_FOLDER } from '../layout.ts';
import { blockedChanges, completedChanges } from './changes.ts';
import type { ExecuteInput, TaskCall, TaskOutcome } from './input.ts';
import type { WorkFailure } from './task-state.ts';

/** Not part of the task's own bookkeeping: the worktree contains the work done before the task failed. */
const WORKTREE_KEY = stepKey('worktree');

/** Documents of the session are shared with everything that runs, so they are neither copied nor brought back. */
const SHARED = [WORKFLOW_FOLDER];

export async function openWorktree(
  durable: OrchestrateDurable,
  call: TaskCall,
): Promise<WorkFailure | { readonly cwd: string }> {
  const { output } = await durable.step(WORKTREE_KEY, 'open-worktree', {
    name: call.id,
    except: SHARED,
    linked: SHARED,
  });
  const { failure, folder } = output;
  if (failure !== undefined) return { failure, again: [WORKTREE_KEY] };
  return { cwd: folder ?? '.' };
}

/** Keys in the program of the whole session. */
export async function mergeWorktrees(
  durable: OrchestrateDurable,
  input: ExecuteInput,
  { id, title }: { readonly id: TaskId; readonly title: string },
): Promise<TaskOutcome> {
  const message = commitMessage({ id, title });
  const key = stepKey(id);
  const mergeKey = sideKey(key, 'merge');
  const worktree = { name: id, except: SHARED };
  const commitKey = sideKey(key, 'commit');
  const committed = await durable.step(commitKey, 'commit-worktree', { ...worktree, message });
  const keptBranch = committed.output.branch;
  const merged =
    committed.output.failure === undefined
      ? (await durable.step(mergeKey, 'merge-worktree', { ...worktree, commit: { message } })).output
      : committed.output;
  // No branch, and nothing was merged: the user has discarded it since.
  const isGone = keptBranch === undefined && (merged.files ?? []).length === 0;
  const failure = merged.failure ?? (isGone ? discarded(id) : undefined);
  const commit = 'commit' in merged ? merged.commit : undefined;
  // Only after the merge is recorded: until then only the branch leads to the work.
  const keepBranch = failure !== undefined;
  if (committed.output.failure === undefined)
    await durable.step(sideKey(key, 'discard'), 'discard-worktree', { ...worktree, keepBranch });
  const at = await durable.now(sideKey(key, 'merged'));
  const endKey = sideKey(key, 'end');
  await durable.step(endKey, 'update-document', {
    path: `${input.folder}/.task/${id}.json`,
    changes:
      failure === undefined
        ? [
            ...completedChanges(input, at),
            ...(commit === undefined
              ? []
              : [{ type: 'set' as const, at: ['summary', 'commit'], value: commit }]),
          ]
        : blockedChanges(input, { at, failure, ...defined({ keptBranch }) }),
  });
  await durable.step(sideKey(key, 'views'), 'refresh-session', { session: input.session });
  return failure === undefined
    ? { status: 'completed', retryKeys: [] }
    : {
        status: 'blocked',
        failure,
        retryKeys: [
          ...[commitKey, mergeKey, sideKey(key, 'discard')],
          ...[sideKey(key, 'merged'), endKey, sideKey(key, 'views')],
        ],
      };
}

function discarded(id: TaskId): Failure {
  const message = `the work of \`${id}\` was discarded; do it again with \`orchestrate execute ${id}\``;
  return { type: 'invalid-output', reason: 'invalid', message };
}
