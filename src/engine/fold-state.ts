/**
 * Folds events into a `RunState`. Events apply in journal order; the same events always give the same state.
 *
 * A step's place follows from its key and from the `container` notes: a `for_each` is an array of iterations, a `repeat`
 * has `iterations`, a `parallel` or `graph` has `branches`, a `call` has `steps`. A key outside any container is a name at the top level.
 */
import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import { isShown } from '../model/effect.ts';
import type { RunEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { type Noted, notedIn, type StepEnded } from '../model/noted.ts';
import { OpenLimits } from '../model/open-limits.ts';
import type { Spent, WorkOutput } from '../model/record.ts';
import { ResumeAdvisor } from '../model/resume-advice.ts';
import { RunClock } from '../model/run-clock.ts';
import { type LoopState, type RunState, STATE_SCHEMA_VERSION, type StepState } from '../model/run-state.ts';
import { StepCounts } from '../model/step-counts.ts';
import { skipUnknown } from '../model/unreachable.ts';
import type { Stepped } from './durable.ts';
import { EarlierVisits } from './earlier-visits.ts';
import { cancelBranch, markInterrupted, unmarkInterrupted } from './mark-interrupted.ts';
import { renderStepState, type StepTimes, writeStepState } from './render-step-state.ts';
import { SpendingFold } from './spending.ts';
import { branchIn, type ContainerKind, clear, placeIn, stepIn } from './state-tree.ts';
import { StepCalls } from './step-calls.ts';
import { ViewBudget } from './view-budget.ts';

/** The state after these events; undefined if the run has not started. */
export function foldEvents(events: readonly RunEvent[]): RunState | undefined {
  const fold = new StateFold();
  for (const event of events) fold.apply(event);
  return fold.state;
}

export class StateFold {
  #state: RunState | undefined;
  readonly #containers = new Map<string, ContainerKind>();
  /** Completed items of each loop. */
  readonly #done = new Map<string, Set<number>>();
  /** Number of items of each loop. */
  readonly #sizes = new Map<string, number>();
  readonly #budget = new ViewBudget();
  readonly #earlier = new EarlierVisits(this.#budget);
  readonly #counts = new StepCounts();
  readonly #clock = new RunClock();
  readonly #advice = new ResumeAdvisor();
  readonly #limits = new OpenLimits();
  readonly #calls = new StepCalls();
  readonly #spending = new SpendingFold();

  /** Undefined until the run has started. The fold keeps changing the object. */
  get state(): RunState | undefined {
    if (this.#state !== undefined) this.#state.duration_ms = this.#clock.ms;
    return this.#state;
  }

  apply(event: RunEvent): void {
    if (event.type === 'run-started') {
      this.#state = startedState(event);
      this.#spend(this.#state, event);
      this.#clock.apply(event);
      return;
    }
    const state = this.#state;
    // What a process is started for has its own events.
    if (state === undefined || event.type === 'progress' || event.type === 'process-started') return;
    state.updated_at = event.at;
    this.#clock.apply(event);
    this.#spend(state, event);
    switch (event.type) {
      case 'run-resumed':
        state.status = 'running';
        delete state.error;
        delete state.completed_at;
        unmarkInterrupted(state);
        Object.assign(state, event.facts);
        break;
      case 'step-started':
        if (isShown(event.effect)) this.#stepStarted(state, event);
        this.#limited(state, event);
        break;
      case 'attempt-ended':
        addSpent(state, event.spent);
        this.#limited(state, event);
        break;
      case 'step-ended': {
        const noted = notedIn(event);
        if (noted === undefined) this.#stepEnded(state, event);
        else this.#noted(state, noted);
        this.#limited(state, event);
        this.#counts.apply(event, noted);
        this.#advice.apply(event, noted);
        state.totals.steps_completed = this.#counts.completed;
        state.totals.steps_failed = this.#counts.failed;
        state.totals.steps_skipped = this.#counts.skipped;
        if (this.#counts.cancelled > 0) state.totals.steps_cancelled = this.#counts.cancelled;
        break;
      }
      case 'sleep-started':
        state.sleeping_until = { ...state.sleeping_until, [event.key]: event.until };
        break;
      case 'sleep-ended':
        state.sleeping_until = without(state.sleeping_until, event.key);
        if (Object.keys(state.sleeping_until).length === 0) delete state.sleeping_until;
        break;
      case 'question-asked':
        state.waiting_for = {
          ...state.waiting_for,
          [event.key]: {
            message: event.question.message,
            choices: event.question.choices,
            asked_at: event.at,
            ...defined({
              expires_at: event.question.expiresAt,
              default: event.question.default,
              fields: event.question.fields,
            }),
          },
        };
        break;
      case 'question-answered':
        state.waiting_for = without(state.waiting_for, event.key);
        if (Object.keys(state.waiting_for).length === 0) delete state.waiting_for;
        break;
      case 'run-ended':
        this.#limited(state, event);
        state.status = event.status;
        state.current_step = null;
        if (event.status !== 'waiting') {
          state.completed_at = event.at;
          markInterrupted(state, event.at);
        }
        if (event.failure !== undefined) {
          state.error = { message: describeFailure(event.failure), type: event.failure.type };
          const step = failedStep(event.output);
          if (step !== undefined) state.error.step = step;
          const advice = this.#advice.after(event);
          if (advice.type !== 'resume') state.error.resume = advice;
        }
        break;
      case 'branch-stopped':
        cancelBranch(state, placeIn(state, `${event.key}/step`, this.#containers).steps, event);
        this.#limited(state, event);
        break;
      case 'time-read':
      case 'branch-ended':
        break;
      default:
        skipUnknown(event);
    }
  }

  #spend(state: RunState, event: RunEvent): void {
    const rows = this.#spending.apply(event, state.started_at);
    if (rows !== undefined) state.spending = rows;
  }

  #limited(state: RunState, event: RunEvent): void {
    const { open } = this.#limits;
    if (open.size === 0 && event.type !== 'attempt-ended') return;
    this.#limits.apply(event);
    if (open.size > 0) {
      state.limits = Object.fromEntries([...open].map(([key, limit]) => [ownerOf(key), limit]));
    } else if (state.limits !== undefined) {
      delete state.limits;
    }
  }

  #stepStarted(state: RunState, event: Extract<RunEvent, { type: 'step-started' }>): void {
    state.current_step = event.key;
    const step = this.#stepAt(state, event.key);
    clear(step);
    step.status = 'running';
    step.started_at = event.at;
    step.attempts = event.attempt;
    if (event.repeated === true) step.repeated = true;
  }

  #stepEnded(state: RunState, event: StepEnded): void {
    const { output } = event;
    if (!isJsonObject(output)) return;
    addSpent(state, output['spent'] as Spent | undefined);
    if (!isShown(event.effect)) return;
    const step = this.#stepAt(state, event.key);
    const work = output as unknown as WorkOutput;
    const { spentBefore, attempts, startedAt, durationMs, at: completedAt } = event;
    if (this.#calls.isOnly(event.key, { output: work, spentBefore })) {
      const status = work.failure === undefined ? 'completed' : 'failed';
      this.#write(step, work, { status, startedAt, completedAt, durationMs, attempts });
    } else {
      const record = this.#calls.add(event.key, steppedIn(event));
      this.#write(step, record, record);
    }
  }

  #noted(state: RunState, note: Noted): void {
    const { key } = note;
    switch (note.type) {
      case 'container':
        this.#containers.set(key, note.kind);
        if (note.kind === 'for-each') {
          this.#loopStarted(state, key, note.items ?? []);
        } else {
          const step = this.#stepAt(state, key);
          clear(step);
          step.status = 'running';
          for (const branch of note.branches ?? []) branchIn(step, branch);
        }
        break;
      case 'item-completed':
        this.#itemCompleted(state, key, note.index);
        break;
      case 'record': {
        const loop = state.for_each[withoutVisits(key)];
        if (loop === undefined) {
          const step = this.#stepAt(state, key);
          // A complete record, not an update of one.
          if (note.record.startedAt !== undefined) clear(step);
          this.#write(step, note.record, note.record);
          break;
        }
        const fields = renderStepState(note.record);
        if (fields.status !== undefined) loop.status = fields.status;
        if (fields.started_at !== undefined) loop.started_at = fields.started_at;
        if (fields.duration_ms !== undefined) loop.duration_ms = fields.duration_ms;
        if (fields.exit_code !== undefined) loop.exit_code = fields.exit_code;
        if (fields.failure_allowed !== undefined) loop.failure_allowed = fields.failure_allowed;
        if (fields.error !== undefined) loop.error = fields.error;
        break;
      }
      case 'condition':
        break;
      case 'decision': {
        if (state.for_each[withoutVisits(key)] !== undefined) break;
        const step = this.#stepAt(state, key);
        step.decisions ??= [];
        if (!step.decisions.includes(note.message)) step.decisions.push(note.message);
        break;
      }
      default:
        skipUnknown(note);
    }
  }

  #write(step: StepState, work: Partial<WorkOutput>, times: Partial<StepTimes>): void {
    if (this.#budget.admits(step, work)) {
      writeStepState(step, work, times);
      return;
    }
    const { output, lines, json, ...rest } = work;
    writeStepState(step, rest, times);
    const leftOut: ('output' | 'lines' | 'json')[] = [];
    if (output !== undefined) leftOut.push('output');
    if (lines !== undefined) leftOut.push('lines');
    if (json !== undefined) leftOut.push('json');
    step.left_out = leftOut;
  }

  #stepAt(state: RunState, key: StepKey): StepState {
    const place = placeIn(state, ownerOf(key), this.#containers);
    const step = stepIn(place.steps, place.name);
    if (place.visit > (step.visits ?? 1)) {
      this.#earlier.visitAgain(state, step, { key: withoutVisits(ownerOf(key)), visit: place.visit });
    }
    return step;
  }

  /** A resumed loop keeps its completed items; on a revisit, the visit before joins the earlier ones. */
  #loopStarted(state: RunState, key: string, items: readonly JsonValue[]): void {
    const loopName = withoutVisits(key);
    const before = this.#done.has(key) ? state.for_each[loopName] : undefined;
    if (before !== undefined && isSameLoop(before, items)) {
      delete before.status;
      delete before.exit_code;
      delete before.error;
      delete before.failure_allowed;
      delete before.duration_ms;
      return;
    }
    const place = placeIn(state, key, this.#containers);
    const shown = place.steps[place.name];
    const iterations = Array.isArray(shown) ? shown : [];
    const old = state.for_each[loopName];
    const isRevisit = old !== undefined && place.visit > (old.visits ?? 1);
    if (isRevisit) {
      place.steps[place.name] = [];
    } else if (before === undefined || !hasSameItems(before, items)) {
      this.#budget.releaseWithin(shown);
      place.steps[place.name] = [];
    }
    const done = before !== undefined && hasSameItems(before, items) ? before.completed_indices : [];
    this.#done.set(key, new Set(done));
    this.#sizes.set(key, items.length);
    if (old !== undefined && !isRevisit) this.#budget.release(old);
    const progress = {
      completed_indices: done,
      current_index: firstOpen(new Set(done), items.length),
      ...(isRevisit
        ? this.#earlier.loopVisit(state, old, { key: loopName, visit: place.visit, iterations })
        : defined({ visits: old?.visits, earlier_visits: old?.earlier_visits })),
    };
    const loop: LoopState = { items, ...progress };
    state.for_each[loopName] = this.#budget.admitItems(loop, items)
      ? loop
      : { items: [], items_left_out: items.length, ...progress };
  }

  /** `current_index` is the first item that is not completed. */
  #itemCompleted(state: RunState, key: string, index: number): void {
    const loop = state.for_each[withoutVisits(key)];
    const done = this.#done.get(key);
    if (loop === undefined || done === undefined || done.has(index)) return;
    done.add(index);
    loop.completed_indices.push(index);
    const count = this.#sizes.get(key) ?? loop.items.length;
    loop.current_index = firstOpen(done, count, loop.current_index ?? count);
  }
}

/** The first item, from `start` on, that is not completed. */
function firstOpen(done: ReadonlySet<number>, count: number, start = 0): number | null {
  let open = start;
  while (done.has(open)) open += 1;
  return open < count ? open : null;
}

/** The workflow was changed: the loop may have other items, but not in the place of completed ones. */
function hasSameItems(loop: LoopState, items: readonly JsonValue[]): boolean {
  if (loop.items_left_out !== undefined) return loop.items_left_out <= items.length;
  return loop.completed_indices.every(
    (index) => JSON.stringify(loop.items[index]) === JSON.stringify(items[index]),
  );
}

function isSameLoop(loop: LoopState, items: readonly JsonValue[]): boolean {
  return loop.items_left_out === undefined
    ? JSON.stringify(loop.items) === JSON.stringify(items)
    : loop.items_left_out === items.length;
}

/** The name under which all visits of a loop are shown. */
function withoutVisits(key: string): string {
  return key.includes('#') ? key.replace(/#\d+/g, '') : key;
}

function startedState(event: Extract<RunEvent, { type: 'run-started' }>): RunState {
  return {
    schema_version: STATE_SCHEMA_VERSION,
    run_id: event.runId,
    kind: event.kind,
    title: event.title,
    ...event.facts,
    started_at: event.at,
    updated_at: event.at,
    duration_ms: 0,
    status: 'running',
    current_step: null,
    // Users choose the names, so a step may be called `constructor`.
    steps: Object.create(null),
    for_each: Object.create(null),
    totals: {
      cost_usd: 0,
      agent_calls: 0,
      unknown_cost_calls: 0,
      tokens: { input: 0, output: 0 },
      steps_completed: 0,
      steps_failed: 0,
      steps_skipped: 0,
    },
  };
}

function addSpent(state: RunState, spent: Spent | undefined): void {
  if (spent === undefined) return;
  const { totals } = state;
  totals.agent_calls += 1;
  if (spent.costUsd === null) totals.unknown_cost_calls += 1;
  else totals.cost_usd += spent.costUsd;
  totals.tokens.input += spent.usage?.inputTokens ?? 0;
  totals.tokens.output += spent.usage?.outputTokens ?? 0;
}

function steppedIn(event: StepEnded): Stepped<WorkOutput> {
  const { output, attempts, startedAt, at: endedAt, durationMs, spentBefore } = event;
  const stepped = { output: output as unknown as WorkOutput, attempts, startedAt, endedAt, durationMs };
  return spentBefore === undefined ? stepped : { ...stepped, spentBefore };
}

function without<Value>(map: { [key: string]: Value } | undefined, key: string): { [key: string]: Value } {
  const { [key]: _removed, ...rest } = map ?? {};
  return rest;
}

function failedStep(output: JsonValue | undefined): string | undefined {
  return isJsonObject(output) && typeof output['failedStep'] === 'string' ? output['failedStep'] : undefined;
}
