/**
 * Executes the tasks of a session. Each starts as soon as its dependencies are completed and a place is free, also if it was created, or
 * its parent was divided, while others ran.
 *
 * E1 A task is one branch, keyed by its id, so its finished work is found again whatever else ran in parallel.
 * E2 What starts next depends on which running task ends first; the pool records that order, and a replay repeats it.
 * E3 What is known about the tasks comes from looks at their documents; each look is a recorded step. There is one at the start, one after
 *    the end of each task, and one when another process has changed something (`look-at-tasks.ts`).
 * E4 Nothing of a task is written before its branch starts; `completed` is written to its document last.
 * E5 A task in a worktree is merged as soon as it has ended. A question or a failure delays only what depends on it.
 */
import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Pool } from '../../engine/durable.ts';
import { instantRecord } from '../../engine/record-of.ts';
import { defined } from '../../model/defined.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Note } from '../../model/note.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { TaskStatus } from '../document/task.ts';
import type { TaskId } from '../ids.ts';
import { type Asking, createAsking } from './asking.ts';
import { setFields } from './changes.ts';
import type { ExecuteInput, PlannedTask, TaskCall, TaskOutcome } from './input.ts';
import { mergeWorktrees } from './merge.ts';
import { AGAIN, outputOf, repeatedCalls } from './output.ts';
import { nextToStart } from './schedule.ts';
import { Standing } from './standing.ts';
import { NOT_MEANT } from './still-meant.ts';
import { runTask } from './task-program.ts';

interface Work {
  readonly durable: OrchestrateDurable;
  readonly input: ExecuteInput;
  readonly pool: Pool<EffectMap, Ended>;
  readonly standing: Standing;
  readonly running: Map<TaskId, RunningTask>;
  /** Started by this run → how it stands. */
  readonly own: Map<TaskId, TaskStatus>;
  readonly outcomes: Map<TaskId, TaskOutcome>;
  readonly beganAt: Map<TaskId, string>;
  /** Commands were added to these meanwhile, and the user has not agreed to them. */
  readonly untrusted: Set<TaskId>;
  watches: number;
}

interface RunningTask {
  readonly task: PlannedTask;
  readonly round: () => Asking;
  current: Asking;
  rounds: number;
  /** It waits for an answer, or for a free place after the answer. */
  state: 'working' | 'asking' | 'answered';
}

type Ended =
  | { readonly type: 'task'; readonly id: TaskId; readonly outcome: TaskOutcome }
  | { readonly type: 'asked' | 'answered'; readonly id: TaskId; readonly happened: boolean }
  | { readonly type: 'changed' };

/** Companions of tasks need no place; the number of tasks at work is limited here. */
const ENOUGH_SLOTS = 1_000_000;

export async function runExecution(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as ExecuteInput;
  const begun = await durable.step(stepKey('session@begin'), 'update-document', {
    path: `${input.folder}/workflow-session.json`,
    changes: setFields({ run_id: input.runId, current_phase: 'IMPLEMENT' }),
  });
  const { failure } = begun.output;
  if (failure !== undefined)
    return { failure, failedStep: 'session', retryKeys: ['session@begin'] } as unknown as JsonValue;
  const work = await durable.pool<Ended, Work>(ENOUGH_SLOTS, (pool) =>
    workThrough({
      ...{ durable, input, pool },
      standing: new Standing(input.runId, input.only),
      ...{ running: new Map(), own: new Map(), outcomes: new Map(), beganAt: new Map() },
      ...{ untrusted: new Set(), watches: 0 },
    }),
  );
  await durable.step(stepKey('session@end'), 'refresh-session', { session: input.session });
  return outputOf(work) as unknown as JsonValue;
}

async function workThrough(work: Work): Promise<Work> {
  const { pool } = work;
  const failed = await look(work, stepKey('session@tasks'));
  if (failed !== undefined) return { ...work, outcomes: new Map([['session' as TaskId, failed]]) };
  watch(work);
  for (;;) {
    proceed(work);
    for (const task of mayBegin(work)) await begin(work, task);
    if (work.running.size === 0) {
      await pool.stop(watchKey(work));
      return work;
    }
    const ended = await pool.next();
    if (ended !== undefined) await take(work, ended.output);
  }
}

async function take(work: Work, ended: Ended): Promise<void> {
  switch (ended.type) {
    case 'changed':
      await look(work, sideKey(watchKey(work), 'tasks'));
      watch(work);
      return;
    case 'task':
      await finish(work, ended.id, ended.outcome);
      return;
    case 'asked':
    case 'answered':
      takeRound(work, ended);
      return;
    default:
      return unreachable(ended);
  }
}

/** E3 */
async function look({ durable, input, standing }: Work, key: StepKey): Promise<TaskOutcome | undefined> {
  const { output } = await durable.step(key, 'read-tasks', { session: input.session });
  if (output.failure !== undefined) return { status: 'blocked', failure: output.failure, retryKeys: [key] };
  standing.apply(output);
  return undefined;
}

function watchKey({ watches }: Work): StepKey {
  return stepKey(`watch-${watches}`);
}

/** The step stays open while nothing changes; it does not keep the run from waiting for answers. */
function watch(work: Work): void {
  const { pool, input, standing } = work;
  work.watches += 1;
  const { digest } = standing;
  pool.start({
    key: watchKey(work),
    body: async (own) => {
      await own.step(
        stepKey('change'),
        'watch-tasks',
        { session: input.session, digest },
        { mayWait: true, syncWithNext: true },
      );
      return { type: 'changed' };
    },
  });
}

function mayBegin(work: Work): readonly PlannedTask[] {
  const { input, outcomes, standing, own } = work;
  const hasFailed = [...outcomes.values()].some((outcome) => outcome.status === 'blocked');
  if ((hasFailed && input.onFailure === 'stop') || standing.isPaused) return [];
  const completed = new Set([...own].flatMap(([id, status]) => (status === 'completed' ? [id] : [])));
  const planned = standing.planned(own).filter(({ id }) => {
    if (standing.isTrusted(id)) return true;
    work.untrusted.add(id);
    return false;
  });
  return nextToStart({
    waiting: planned,
    running: atWork(work).map(({ task }) => task),
    completed,
    limit: input.maxParallel,
    separate: input.worktree,
  });
}

function atWork({ running }: Work): readonly RunningTask[] {
  return [...running.values()].filter(({ state }) => state === 'working');
}

/** E1 */
async function begin(work: Work, task: PlannedTask): Promise<void> {
  const { durable, input, pool } = work;
  const { only: _only, maxParallel, onFailure: _onFailure, ...rest } = input;
  const key = stepKey(task.id);
  const { id, title, paths, parts } = task;
  const call: TaskCall = {
    ...{ ...rest, id, paths, alone: maxParallel === 1, isAdded: !work.standing.wasThere(id) },
    ...defined({ parts }),
  };
  work.own.set(id, 'active');
  work.beganAt.set(id, await durable.now(sideKey(key, 'began')));
  await durable.step(
    sideKey(key, 'container'),
    'note',
    { type: 'container', kind: 'call', title },
    { syncWithNext: true },
  );
  const { asker, round } = createAsking();
  pool.start({
    key,
    body: async (own) => {
      try {
        return { type: 'task', id, outcome: await runTask(own, call, asker) };
      } finally {
        asker.end();
      }
    },
  });
  const current = round();
  work.running.set(id, { task, round, current, rounds: 1, state: 'working' });
  expect(work, id, 'asked');
}

/** A branch that ends when the task asks or is answered. */
function expect({ pool, running }: Work, id: TaskId, type: 'asked' | 'answered'): void {
  const task = running.get(id);
  if (task === undefined) return;
  const happened = task.current[type];
  pool.start({
    key: sideKey(stepKey(id), `${type}-${task.rounds}`),
    body: async () => ({ type, id, happened: await happened }),
  });
}

function takeRound(work: Work, { type, id, happened }: Extract<Ended, { readonly happened: boolean }>): void {
  const task = work.running.get(id);
  if (task === undefined || !happened) return;
  task.state = type === 'asked' ? 'asking' : 'answered';
  if (type === 'asked') expect(work, id, 'answered');
}

function hasRoom(work: Work, task: PlannedTask): boolean {
  const { maxParallel: limit, worktree: separate } = work.input;
  const running = atWork(work).map((each) => each.task);
  const waiting = [{ ...task, waitsFor: [] }];
  return nextToStart({ waiting, running, completed: new Set(), limit, separate }).length > 0;
}

/** Tasks that were answered continue before others start. */
function proceed(work: Work): void {
  for (const [id, task] of work.running) {
    if (task.state !== 'answered' || !hasRoom(work, task.task)) continue;
    task.state = 'working';
    task.current.proceed();
    task.current = task.round();
    task.rounds += 1;
    expect(work, id, 'asked');
  }
}

async function finish(work: Work, id: TaskId, ended: TaskOutcome): Promise<void> {
  const { durable, input } = work;
  const title = work.running.get(id)?.task.title ?? '';
  work.running.delete(id);
  // E5
  const isMerged = input.worktree && ended.status === 'completed' && ended.isThere !== true;
  const outcome = isMerged ? await mergeWorktrees(durable, input, { id, title }) : ended;
  await settle(work, id, outcome);
  await look(work, sideKey(stepKey(id), 'tasks'));
}

/** Records how the task ended, for the views. */
async function settle(work: Work, id: TaskId, outcome: TaskOutcome): Promise<void> {
  const { durable } = work;
  const key = stepKey(id);
  const left = outcome.status === 'not-meant' ? NOT_MEANT[outcome.why] : undefined;
  work.own.set(id, outcome.status === 'not-meant' ? NOT_MEANT[outcome.why].status : outcome.status);
  work.outcomes.set(id, outcome);
  const endedAt = await durable.now(sideKey(key, 'ended'));
  const failure = outcome.status === 'blocked' ? outcome.failure : undefined;
  const startedAt = work.beganAt.get(id) ?? endedAt;
  const record = {
    ...instantRecord(endedAt, { skipped: left !== undefined, ...defined({ failure }) }),
    startedAt,
    durationMs: durable.workedBetween(sideKey(key, 'began'), sideKey(key, 'ended')),
    attempts: 1,
  };
  const remember = async (side: string, note: Note): Promise<unknown> =>
    durable.step(sideKey(key, side), 'note', note, { syncWithNext: true });
  await remember('record', { type: 'record', record });
  if (left !== undefined) await remember('why', { type: 'decision', message: left.message });
  // For an `execute` that names it while the run waits for answers.
  if (outcome.status !== 'completed')
    await durable.step(
      sideKey(key, AGAIN),
      'remember',
      { value: repeatedCalls(id, outcome.namedKeys ?? outcome.retryKeys) },
      { syncWithNext: true },
    );
}
