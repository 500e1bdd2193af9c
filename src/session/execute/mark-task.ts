/** How a task begins and ends in its document. */
import type { DocumentChange, OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import { figuresByRun, type Task } from '../document/task.ts';
import {
  blockedChanges,
  completedChanges,
  figureChanges,
  historyEntry,
  runChanges,
  setFields,
} from './changes.ts';
import type { TaskCall, TaskOutcome } from './input.ts';
import { isGone, notMeant } from './still-meant.ts';
import { figuresNow, TASK_KEY, type TaskWork, taskPath, type WorkFailure } from './task-state.ts';

export interface Done {
  readonly summary: JsonObject;
}

/** A task is not started unless its document can be set to `active`. */
export async function setActive(
  durable: OrchestrateDurable,
  call: TaskCall,
  task: Task,
): Promise<WorkFailure | { readonly document: JsonObject | undefined }> {
  const at = await durable.now(sideKey(TASK_KEY, 'began'));
  const key = sideKey(TASK_KEY, 'active');
  const { output } = await durable.step(key, 'update-document', {
    path: taskPath(call),
    changes: [
      ...setFields({
        status: 'active',
        'execution.attempts': task.execution.attempts + 1,
        'execution.last_attempt': at,
        'execution.run_id': call.runId,
        'execution.last_error': undefined,
        'execution.kept_branch': undefined,
      }),
      ...otherFigures(call, task),
      historyEntry(call, { from: task.status, to: 'active', at }),
    ],
  });
  if (output.failure !== undefined) return { failure: output.failure, again: [key] };
  await durable.step(sideKey(TASK_KEY, 'shown'), 'refresh-session', { session: call.session });
  return { document: output.document };
}

/** From now on the document names this run; the figures in it are those of others. */
function otherFigures({ runId }: TaskCall, task: Task): readonly DocumentChange[] {
  const before = figuresByRun(task.execution);
  return Object.keys(before).some((each) => each !== runId) ? runChanges(before) : [];
}

export async function complete(state: TaskWork, { summary }: Done): Promise<TaskOutcome> {
  const { durable, call } = state;
  const at = await durable.now(sideKey(TASK_KEY, 'ended'));
  const key = sideKey(TASK_KEY, 'completed');
  const { output } = await durable.step(key, 'update-document', {
    path: taskPath(call),
    changes: [
      ...setFields({ summary }),
      ...figureChanges(figuresNow(state)),
      // With worktrees it is completed only after its work is merged.
      ...(call.worktree ? [] : completedChanges(call, at)),
    ],
  });
  if (isGone(output.failure)) return notMeant(call, 'removed');
  if (output.failure !== undefined) return blocked(call, { failure: output.failure, again: [key] });
  await durable.step(sideKey(TASK_KEY, 'views'), 'refresh-session', { session: call.session });
  return { status: 'completed', retryKeys: [] };
}

/** `done`: a person has rejected the finished work. */
export async function block(state: TaskWork, failed: WorkFailure, done?: Done): Promise<TaskOutcome> {
  const { durable, call } = state;
  const { failure } = failed;
  const keptBranch = failure.type === 'rejected' ? failure.branch : undefined;
  const at = await durable.now(sideKey(TASK_KEY, 'ended'));
  const { output } = await durable.step(sideKey(TASK_KEY, 'blocked'), 'update-document', {
    path: taskPath(call),
    changes: [
      ...(done === undefined ? [] : setFields({ summary: done.summary })),
      ...blockedChanges(call, {
        ...{ at, failure, figures: figuresNow(state) },
        ...defined({ keptBranch }),
      }),
    ],
  });
  if (isGone(output.failure)) return notMeant(call, 'removed');
  await durable.step(sideKey(TASK_KEY, 'views'), 'refresh-session', { session: call.session });
  return blocked(call, failed);
}

/** The task's bookkeeping is repeated along with the failed call. */
export function blocked({ id }: TaskCall, { failure, again, ifNamed }: WorkFailure): TaskOutcome {
  const full = (keys: readonly StepKey[]): readonly StepKey[] =>
    keys.length === 0 ? [] : [TASK_KEY, ...keys].map((key) => stepKey(id, key));
  const namedKeys = ifNamed === undefined ? undefined : full(ifNamed);
  return { status: 'blocked', failure, retryKeys: full(again), ...defined({ namedKeys }) };
}
