/**
 * Folds events into what is known of a run as a whole: status, cost, time, what it waits for. It knows nothing of single steps: `fold-state.ts`
 * adds the tree of steps for `state.json`, `run-index.ts` its rows.
 */
import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import { isShown, mayCost } from '../model/effect.ts';
import type { RunEvent } from '../model/event.ts';
import { ownerOf } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { Noted, StepEnded } from '../model/noted.ts';
import { INTERRUPTED, isAttached } from '../model/open-calls.ts';
import { OpenLimits } from '../model/open-limits.ts';
import type { Spent } from '../model/record.ts';
import { ResumeAdvisor } from '../model/resume-advice.ts';
import { RunClock } from '../model/run-clock.ts';
import { type RunState, STATE_SCHEMA_VERSION } from '../model/run-state.ts';
import { StepCounts } from '../model/step-counts.ts';
import { skipUnknown } from '../model/unreachable.ts';
import { endWaits } from './mark-interrupted.ts';
import { addSpent, SpendingFold } from './spending.ts';

export class RunFold {
  #state: RunState | undefined;
  readonly #counts = new StepCounts();
  readonly #clock = new RunClock();
  readonly #advice = new ResumeAdvisor();
  readonly #limits = new OpenLimits();
  readonly #spending = new SpendingFold();

  /** With empty `steps` and `for_each`. Undefined until the run has started. The fold keeps changing the object. */
  get state(): RunState | undefined {
    if (this.#state !== undefined) this.#state.duration_ms = this.#clock.ms;
    return this.#state;
  }

  /** `noted`: the note in the event, if it is one. Returns the state without its duration, which takes a moment to add up. */
  apply(event: RunEvent, noted: Noted | undefined): RunState | undefined {
    if (event.type === 'run-started') {
      this.#state = startedState(event);
      this.#spend(this.#state, event);
      this.#clock.apply(event);
      return this.#state;
    }
    const state = this.#state;
    // What a process is started for has its own events.
    if (state === undefined || event.type === 'progress' || event.type === 'process-started') return state;
    state.updated_at = event.at;
    this.#clock.apply(event);
    this.#spend(state, event);
    this.#call(state, event);
    this.#limited(state, event);
    switch (event.type) {
      case 'run-resumed':
        state.status = 'running';
        delete state.error;
        delete state.completed_at;
        delete state.interrupted_calls;
        Object.assign(state, event.facts);
        break;
      case 'step-started':
        if (isShown(event.effect)) state.current_step = event.key;
        break;
      case 'attempt-ended':
      case 'attempt-asked':
        if (event.spent !== undefined) addSpent(state.totals, event.spent);
        break;
      case 'step-ended':
        this.#stepEnded(state, event, noted);
        break;
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
              diff: event.question.diff,
              detail: event.question.detail,
            }),
          },
        };
        break;
      case 'question-answered':
        state.waiting_for = without(state.waiting_for, event.key);
        if (Object.keys(state.waiting_for).length === 0) delete state.waiting_for;
        break;
      case 'run-ended':
        this.#runEnded(state, event);
        break;
      case 'branch-stopped':
        endWaits(state, event.key);
        break;
      case 'branch-ended':
        // A task that waited for an answer may end without it: the user has done or removed it.
        if (state.waiting_for !== undefined) endWaits(state, event.key);
        break;
      case 'time-read':
        break;
      default:
        skipUnknown(event);
    }
    return state;
  }

  #stepEnded(state: RunState, event: StepEnded, noted: Noted | undefined): void {
    if (noted === undefined && isJsonObject(event.output)) {
      const spent = event.output['spent'] as Spent | undefined;
      if (spent !== undefined) addSpent(state.totals, spent);
    }
    this.#counts.apply(event, noted);
    this.#advice.apply(event, noted);
    state.totals.steps_completed = this.#counts.completed;
    state.totals.steps_failed = this.#counts.failed;
    state.totals.steps_skipped = this.#counts.skipped;
    if (this.#counts.cancelled > 0) state.totals.steps_cancelled = this.#counts.cancelled;
  }

  #runEnded(state: RunState, event: Extract<RunEvent, { type: 'run-ended' }>): void {
    state.status = event.status;
    state.current_step = null;
    if (event.status !== 'waiting') state.completed_at = event.at;
    if (event.status === 'completed') delete state.waiting_for;
    // What a workflow in code returned.
    if (isJsonObject(event.output) && 'retryKeys' in event.output && event.output['output'] !== undefined)
      state['output'] = event.output['output'];
    if (event.failure === undefined) return;
    state.error = { message: describeFailure(event.failure), type: event.failure.type };
    const step = failedStep(event.output);
    if (step !== undefined) state.error.step = step;
    const advice = this.#advice.after(event);
    if (advice.type !== 'resume') state.error.resume = advice;
  }

  #spend(state: RunState, event: RunEvent): void {
    const rows = this.#spending.apply(event, state.started_at);
    if (rows !== undefined) state.spending = rows;
  }

  /** A call that is still running when its process ends is interrupted. */
  #call(state: RunState, event: RunEvent): void {
    const { open_calls: calls } = state;
    if (event.type === 'step-started' ? !mayCost(event.effect) : calls === undefined) return;
    if (calls !== undefined && (event.type === 'run-ended' || event.type === 'run-resumed')) {
      const interrupted = Object.entries(calls).filter(([key]) => !isAttached(event, key));
      for (const _ of interrupted) addSpent(state.totals, INTERRUPTED);
      state.interrupted_calls = Object.fromEntries(interrupted);
    } else if (event.type !== 'step-started' && !('key' in event && calls?.[event.key] !== undefined)) return;
    const { running } = this.#spending;
    if (Object.keys(running).length > 0) state.open_calls = running;
    else delete state.open_calls;
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
      unknown_token_calls: 0,
      steps_completed: 0,
      steps_failed: 0,
      steps_skipped: 0,
    },
  };
}

function without<Value>(map: { [key: string]: Value } | undefined, key: string): { [key: string]: Value } {
  const { [key]: _removed, ...rest } = map ?? {};
  return rest;
}

function failedStep(output: JsonValue | undefined): string | undefined {
  return isJsonObject(output) && typeof output['failedStep'] === 'string' ? output['failedStep'] : undefined;
}
