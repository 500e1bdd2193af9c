/** The result of an execution: how its tasks ended, and what is left. */
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { TaskStatus } from '../document/task.ts';
import { compareTaskIds, type TaskId } from '../ids.ts';
import type { ExecuteOutput, TaskOutcome } from './input.ts';
import type { Standing } from './standing.ts';

export interface WorkDone {
  readonly standing: Standing;
  readonly own: ReadonlyMap<TaskId, TaskStatus>;
  readonly outcomes: ReadonlyMap<TaskId, TaskOutcome>;
  readonly untrusted: ReadonlySet<TaskId>;
}

export function outputOf({ standing, own, outcomes, untrusted }: WorkDone): ExecuteOutput {
  const ids = (status: TaskOutcome['status']): readonly TaskId[] =>
    [...outcomes].flatMap(([id, outcome]) => (outcome.status === status ? [id] : [])).sort(compareTaskIds);
  const failed = [...outcomes].flatMap(([id, outcome]) =>
    outcome.status === 'blocked' ? [{ id, failure: outcome.failure }] : [],
  );
  const output = {
    completed: ids('completed'),
    blocked: ids('blocked'),
    waiting: standing.open(own).flatMap(({ id }) => (own.has(id) ? [] : [id])),
    ...(standing.isPaused ? { paused: true as const } : {}),
    ...(untrusted.size === 0 ? {} : { untrusted: [...untrusted].sort(compareTaskIds) }),
  };
  const [first] = failed;
  if (first === undefined) return { ...output, retryKeys: [] };
  const retryKeys = failed.flatMap(({ id }) => repeatedCalls(id, outcomes.get(id)?.retryKeys));
  return {
    ...output,
    failure: failureOf(failed),
    failedStep: stepKey(first.id),
    retryKeys: retryKeys.length === 0 ? [] : [...retryKeys, stepKey('session@end')],
  };
}

/** The side key under which they are recorded. */
export const AGAIN = 'again';

/** What is repeated to try the task again, in the run. */
export function repeatedCalls(id: TaskId, again: readonly StepKey[] = []): readonly StepKey[] {
  return again.length === 0
    ? []
    : [...again, ...['ended', 'tasks', AGAIN].map((side) => sideKey(stepKey(id), side))];
}

function failureOf(failed: readonly { readonly id: TaskId; readonly failure: Failure }[]): Failure {
  const [only] = failed;
  if (only !== undefined && failed.length === 1) return only.failure;
  return {
    type: 'branches-failed',
    causes: failed.map(({ id, failure }) => ({ branch: id, message: describeFailure(failure) })),
  };
}
