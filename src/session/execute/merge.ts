/** Worktrees of tasks: created when a task starts, merged when the tasks running in parallel have ended too. */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import type { Failure } from '../../model/failure.ts';
import { sideKey, stepKey } from '../../model/ids.ts';
import type { TaskId } from '../ids.ts';
import { WORKFLOW_FOLDER } from '../layout.ts';
import { blockedChanges, completedChanges } from './changes.ts';
import type { ExecuteInput, TaskCall, TaskOutcome } from './input.ts';
import type { WorkFailure } from './task-state.ts';

/** Not part of the task's own bookkeeping: the worktree contains the work done before the task failed. */
const WORKTREE_KEY = stepKey('worktree');

/** Workspace-relative. */
export function worktreeFolder(call: { readonly runId: string }, id: TaskId): string {
  return `.orchestrate/runs/${call.runId}/worktrees/${id}`;
}

function branchOf(call: { readonly runId: string }, id: TaskId): string {
  return `orchestrate/${call.runId}/${id}`;
}

export async function openWorktree(
  durable: OrchestrateDurable,
  call: TaskCall,
): Promise<WorkFailure | undefined> {
  const { output } = await durable.step(WORKTREE_KEY, 'open-worktree', {
    folder: worktreeFolder(call, call.id),
    branch: branchOf(call, call.id),
    linked: [WORKFLOW_FOLDER],
  });
  return output.failure === undefined ? undefined : { failure: output.failure, again: [WORKTREE_KEY] };
}

/** Keys in the program of the whole session. */
export async function mergeWorktrees(
  durable: OrchestrateDurable,
  input: ExecuteInput,
  id: TaskId,
): Promise<TaskOutcome> {
  const key = stepKey(id);
  const mergeKey = sideKey(key, 'merge');
  const branch = branchOf(input, id);
  const folder = worktreeFolder(input, id);
  const { output } = await durable.step(mergeKey, 'merge-worktree', {
    folder,
    branch,
    message: id,
    except: [WORKFLOW_FOLDER, '.orchestrate'],
  });
  const failure = output.failure ?? conflict(output.conflicts, branch);
  // Only after the commit is recorded: until then only the branch leads to it.
  if (failure === undefined) {
    await durable.step(sideKey(key, 'discard'), 'discard-worktree', { folder, branch });
  }
  const at = await durable.now(sideKey(key, 'merged'));
  const endKey = sideKey(key, 'end');
  await durable.step(endKey, 'update-document', {
    path: `${input.folder}/.task/${id}.json`,
    changes:
      failure === undefined
        ? [
            ...completedChanges(input, at),
            ...(output.commit === undefined
              ? []
              : [{ type: 'set' as const, at: ['summary', 'commit'], value: output.commit }]),
          ]
        : blockedChanges(input, { at, failure }),
  });
  await durable.step(sideKey(key, 'views'), 'refresh-session', { session: input.session });
  return failure === undefined
    ? { status: 'completed', retryKeys: [] }
    : {
        status: 'blocked',
        failure,
        retryKeys: [mergeKey, sideKey(key, 'merged'), endKey, sideKey(key, 'views')],
      };
}

function conflict(files: readonly string[] | undefined, branch: string): Failure | undefined {
  if (files === undefined || files.length === 0) return undefined;
  const names = files.map((file) => `\`${file}\``).join(', ');
  return {
    type: 'unproven',
    reasons: [`merge conflict in ${names}; the work is kept on branch \`${branch}\``],
  };
}
