/**
 * Executes the tasks of a session. Each starts as soon as its dependencies are completed and a slot is free.
 *
 * E1 A task is one branch, keyed by its id, so its finished work is found again whatever else ran in parallel.
 * E2 What starts next depends on which running task ends first; the pool records that order, and a replay repeats it.
 * E3 With worktrees, tasks that ran in parallel are merged in id order once all of them have ended.
 * E4 Nothing of a task is written before its branch starts; `completed` is written to its document last.
 */
import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Pool } from '../../engine/durable.ts';
import { instantRecord } from '../../engine/record-of.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { compareTaskIds, type TaskId } from '../ids.ts';
import { setFields } from './changes.ts';
import type { ExecuteInput, ExecuteOutput, PlannedTask, TaskCall, TaskOutcome } from './input.ts';
import { mergeWorktrees } from './merge.ts';
import { nextToStart } from './schedule.ts';
import { runTask } from './task-program.ts';

interface Work {
  readonly durable: OrchestrateDurable;
  readonly input: ExecuteInput;
  readonly pool: Pool<EffectMap, EndedTask>;
  readonly waiting: Map<TaskId, PlannedTask>;
  readonly outcomes: Map<TaskId, TaskOutcome>;
  /** Ended in their worktrees and not merged yet. */
  unmerged: TaskId[];
  readonly beganAt: Map<TaskId, string>;
}

interface EndedTask {
  readonly id: TaskId;
  readonly outcome: TaskOutcome;
}

export async function runExecution(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as ExecuteInput;
  const begun = await durable.step(stepKey('session@begin'), 'update-document', {
    path: `${input.folder}/workflow-session.json`,
    changes: setFields({ run_id: input.runId, current_phase: 'IMPLEMENT' }),
  });
  const { failure } = begun.output;
  if (failure !== undefined)
    return { failure, failedStep: 'session', retryKeys: ['session@begin'] } as unknown as JsonValue;
  const work = await durable.pool<EndedTask, Work>(Math.max(1, input.maxParallel), (pool) =>
    workThrough({
      durable,
      input,
      pool,
      waiting: new Map(input.tasks.map((task) => [task.id, task])),
      outcomes: new Map(),
      unmerged: [],
      beganAt: new Map(),
    }),
  );
  await durable.step(stepKey('session@end'), 'refresh-session', { session: input.session });
  return outputOf(work) as unknown as JsonValue;
}

async function workThrough(work: Work): Promise<Work> {
  const { pool, input } = work;
  for (;;) {
    for (const task of mayBegin(work)) await begin(work, task);
    const ended = await pool.next();
    if (ended === undefined) return work;
    const { id, outcome } = ended.output;
    if (input.worktree && outcome.status === 'completed') work.unmerged.push(id);
    else await settle(work, id, outcome);
    if (pool.running.length === 0 && work.unmerged.length > 0) await mergeAll(work);
  }
}

function mayBegin(work: Work): readonly PlannedTask[] {
  const { input, waiting, outcomes } = work;
  const running = new Set(work.pool.running);
  const hasFailed = [...outcomes.values()].some((outcome) => outcome.status === 'blocked');
  if (hasFailed && input.onFailure === 'stop') return [];
  // E3
  if (input.worktree && running.size + work.unmerged.length > 0) return [];
  return nextToStart({
    waiting: [...waiting.values()],
    running: input.tasks.filter((task) => running.has(stepKey(task.id))),
    completed: new Set([...outcomes].flatMap(([id, { status }]) => (status === 'completed' ? [id] : []))),
    limit: input.maxParallel,
    separate: input.worktree,
  });
}

/** E1 */
async function begin(work: Work, task: PlannedTask): Promise<void> {
  const { durable, input } = work;
  const { tasks: _tasks, maxParallel, onFailure: _onFailure, ...rest } = input;
  const key = stepKey(task.id);
  const { id, paths, parts } = task;
  const alone = maxParallel === 1;
  const call: TaskCall = { ...rest, id, paths, alone, ...defined({ parts }) };
  work.waiting.delete(task.id);
  work.beganAt.set(task.id, await durable.now(sideKey(key, 'began')));
  await durable.step(
    sideKey(key, 'container'),
    'note',
    { type: 'container', kind: 'call' },
    { syncWithNext: true },
  );
  work.pool.start({ key, body: async (own) => ({ id, outcome: await runTask(own, call) }) });
}

/** E3 */
async function mergeAll(work: Work): Promise<void> {
  for (const id of work.unmerged.sort(compareTaskIds)) {
    await settle(work, id, await mergeWorktrees(work.durable, work.input, id));
  }
  work.unmerged = [];
}

/** Records how the task ended, for the views. */
async function settle(work: Work, id: TaskId, outcome: TaskOutcome): Promise<void> {
  const { durable } = work;
  const key = stepKey(id);
  work.outcomes.set(id, outcome);
  const endedAt = await durable.now(sideKey(key, 'ended'));
  const { failure } = outcome;
  const startedAt = work.beganAt.get(id) ?? endedAt;
  const record = {
    ...instantRecord(endedAt, failure === undefined ? {} : { failure }),
    startedAt,
    durationMs: durable.workedBetween(sideKey(key, 'began'), sideKey(key, 'ended')),
    attempts: 1,
  };
  await durable.step(sideKey(key, 'record'), 'note', { type: 'record', record }, { syncWithNext: true });
}

function outputOf({ outcomes, waiting }: Work): ExecuteOutput {
  const ids = (status: TaskOutcome['status']): readonly TaskId[] =>
    [...outcomes].flatMap(([id, outcome]) => (outcome.status === status ? [id] : [])).sort(compareTaskIds);
  const failed = [...outcomes].flatMap(([id, { failure }]) =>
    failure === undefined ? [] : [{ id, failure }],
  );
  const blocked = ids('blocked');
  const output = { completed: ids('completed'), blocked, waiting: [...waiting.keys()] };
  const [first] = failed;
  if (first === undefined) return { ...output, retryKeys: [] };
  const retryKeys: StepKey[] = failed.flatMap(({ id }) => {
    const key = stepKey(id);
    const again = outcomes.get(id)?.retryKeys ?? [];
    return again.length === 0 ? [] : [...again, sideKey(key, 'ended')];
  });
  return {
    ...output,
    failure: failureOf(failed),
    failedStep: stepKey(first.id),
    retryKeys: retryKeys.length === 0 ? [] : [...retryKeys, stepKey('session@end')],
  };
}

function failureOf(failed: readonly { readonly id: TaskId; readonly failure: Failure }[]): Failure {
  const [only] = failed;
  if (only !== undefined && failed.length === 1) return only.failure;
  return {
    type: 'branches-failed',
    causes: failed.map(({ id, failure }) => ({ branch: id, message: describeFailure(failure) })),
  };
}
