import { defined } from '../model/defined.ts';
import { mayCost } from '../model/effect.ts';
import type { Answer, JournalEvent, Question } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { StepEnded } from '../model/noted.ts';
import { INTERRUPTED, isAttached } from '../model/open-calls.ts';
import type { Spent } from '../model/record.ts';
import { spanMs } from '../model/span.ts';
import { StepMap } from '../model/step-map.ts';
import { skipUnknown } from '../model/unreachable.ts';
import { forgetCalls, forgetFailures } from './forget-failures.ts';

/** What a journal contains, by key: the results that a resumed program receives again. */
export interface Recorded {
  readonly steps: StepMap<RecordedStep>;
  /** The number of the last attempt of a step, if attempts that do not count make it another than `attempts`. */
  readonly lastAttempts: Map<StepKey, number>;
  /** Started and not ended: running when the owner died, or waiting for its next attempt. */
  readonly open: Map<StepKey, OpenStep>;
  readonly sleeps: Map<StepKey, { readonly since: string; readonly until: string; ended: boolean }>;
  readonly answers: Map<StepKey, Answer>;
  readonly asked: Map<StepKey, AskedQuestion>;
  readonly times: Map<StepKey, string>;
  /** How long the run had worked at these times; older journals do not say. */
  readonly worked: Map<StepKey, number>;
  /** Branches whose end a pool returned → the position of that end, counted from the first. */
  readonly ends: Map<StepKey, number>;
  /** Branches that their program stopped. */
  readonly stopped: Set<StepKey>;
}

export type AskedQuestion = Pick<
  Extract<JournalEvent, { type: 'question-asked' }>,
  'at' | 'question' | 'digest'
>;

/** The event itself: a long journal has hundreds of thousands, so nothing is copied. Notes share one. */
export type RecordedStep = Omit<StepEnded, 'type' | 'key'>;

/** Every recorded note: a program that repeats a note brings its contents. */
const NOTED: RecordedStep = {
  ...{ effect: 'note', at: '', startedAt: '', durationMs: 0, attempts: 1, output: null },
};

export interface OpenStep {
  readonly startedAt: string;
  /** The last attempt that started. */
  readonly attempt: number;
  /** Attempts that ended and count against the retry policy. */
  readonly counted: number;
  /** Usage limits waited for since the last attempt that counts. */
  readonly waited?: number;
  /** Present when that attempt ended and the next one waits for `nextAt`. */
  readonly endedAt?: string;
  readonly nextAt?: string;
  /** Why it ended. */
  readonly failure?: Failure;
  /** The cost of its attempts that ended or were interrupted. */
  readonly spentBefore: readonly Spent[];
  /** It is an agent call. */
  readonly mayCost?: boolean;
  /** What its attempts asked (D6), in order. */
  readonly asked?: readonly AskedRound[];
  /** The last attempt ended with questions, and the next one has not started. */
  readonly isAsking?: boolean;
  /** How long earlier processes and executions worked on it. */
  readonly workedMs?: number;
  /** When the current process started it. */
  readonly since?: string;
}

/** The questions with which an attempt ended. */
export interface AskedRound {
  readonly questions: { readonly [name: string]: Question };
  readonly memo: JsonValue;
}

export function emptyRecord(): Recorded {
  return {
    steps: new StepMap(),
    lastAttempts: new Map(),
    open: new Map(),
    sleeps: new Map(),
    answers: new Map(),
    asked: new Map(),
    times: new Map(),
    worked: new Map(),
    ends: new Map(),
    stopped: new Set(),
  };
}

/** Events must be in journal order: a resume forgets the failures before it. */
export function recordedIn(events: readonly JournalEvent[]): Recorded {
  const fold = new RecordedFold();
  for (const event of events) fold.apply(event);
  return fold.recorded;
}

export class RecordedFold {
  readonly recorded = emptyRecord();
  #endsSoFar = 0;
  #lastAt = '';
  #ended: Extract<JournalEvent, { type: 'run-ended' }> | undefined;
  /** Calls of the clean-up of a stopped run (D5). */
  readonly #atStop = new Set<StepKey>();

  apply(event: JournalEvent): void {
    const { recorded } = this;
    if (event.atStop === true && 'key' in event) this.#atStop.add(event.key);
    switch (event.type) {
      case 'step-started': {
        const { key, at, attempt } = event;
        const before = recorded.open.get(key);
        recorded.open.set(
          key,
          before === undefined
            ? {
                ...{ startedAt: at, attempt, counted: 0, spentBefore: [], since: at },
                ...(mayCost(event.effect) ? { mayCost: true } : {}),
              }
            : startedAgain(before, event),
        );
        break;
      }
      case 'attempt-ended': {
        const before = recorded.open.get(event.key);
        recorded.open.set(event.key, {
          startedAt: before?.startedAt ?? event.at,
          attempt: event.attempt,
          counted: (before?.counted ?? 0) + (event.counted ? 1 : 0),
          waited: event.counted ? 0 : (before?.waited ?? 0) + 1,
          endedAt: event.at,
          nextAt: event.nextAt,
          failure: event.failure,
          spentBefore: [...(before?.spentBefore ?? []), ...(event.spent === undefined ? [] : [event.spent])],
          ...defined({
            workedMs: before?.workedMs,
            since: before?.since,
            mayCost: before?.mayCost,
            asked: before?.asked,
          }),
        });
        break;
      }
      case 'attempt-asked':
        recorded.open.set(event.key, askedIn(recorded.open.get(event.key), event));
        break;
      case 'step-ended': {
        const { key, attempts } = event;
        const lastAttempt = recorded.open.get(key)?.attempt ?? attempts;
        if (lastAttempt !== attempts) recorded.lastAttempts.set(key, lastAttempt);
        else if (recorded.lastAttempts.size > 0) recorded.lastAttempts.delete(key);
        recorded.open.delete(key);
        recorded.steps.set(key, event.effect === 'note' ? NOTED : event);
        break;
      }
      case 'sleep-started':
        recorded.sleeps.set(event.key, { since: event.at, until: event.until, ended: false });
        break;
      case 'sleep-ended': {
        const sleep = recorded.sleeps.get(event.key);
        if (sleep !== undefined) sleep.ended = true;
        break;
      }
      case 'question-asked':
        recorded.asked.set(event.key, event);
        break;
      case 'question-answered':
        recorded.answers.set(event.key, event.answer);
        break;
      case 'time-read':
        recorded.times.set(event.key, event.at);
        if (event.workedMs !== undefined) recorded.worked.set(event.key, event.workedMs);
        break;
      case 'branch-ended':
        recorded.ends.set(event.key, this.#endsSoFar);
        this.#endsSoFar += 1;
        break;
      case 'branch-stopped':
        recorded.stopped.add(event.key);
        break;
      case 'run-ended':
        this.#ended = event;
        break;
      case 'run-resumed':
        addWork(recorded.open, this.#lastAt, event);
        forgetFailures(recorded, this.#ended, event.again);
        if (this.#atStop.size > 0) forgetCalls(recorded, (key) => this.#atStop.has(key));
        this.#atStop.clear();
        this.#ended = undefined;
        break;
      case 'run-started':
      case 'process-started':
        break;
      default:
        skipUnknown(event);
    }
    // As the run's clock does, which counts what it worked (`fold-state.ts`).
    if (event.type !== 'process-started') this.#lastAt = event.at;
  }
}

/** An attempt that asks is neither a failure nor a repetition. */
export function askedIn(
  before: OpenStep | undefined,
  { at, attempt, questions, memo, spent }: Extract<JournalEvent, { type: 'attempt-asked' }>,
): OpenStep {
  const { startedAt = at, counted = 0, workedMs = 0, since, waited } = before ?? {};
  return {
    ...{ startedAt, counted, attempt },
    ...defined({ waited }),
    asked: [...(before?.asked ?? []), { questions, memo }],
    isAsking: true,
    spentBefore: [...(before?.spentBefore ?? []), ...(spent === undefined ? [] : [spent])],
    // The time in which it waits for an answer is not work.
    workedMs: workedMs + (since === undefined ? 0 : spanMs(since, at)),
  };
}

function startedAgain(
  { startedAt, counted, waited, spentBefore, since, workedMs, asked }: OpenStep,
  { at, attempt, effect }: Extract<JournalEvent, { type: 'step-started' }>,
): OpenStep {
  return {
    ...{ startedAt, attempt, counted, spentBefore, since: since ?? at },
    ...(mayCost(effect) ? { mayCost: true } : {}),
    ...defined({ waited, workedMs, asked }),
  };
}

/** A process ended while these steps were open: what it worked on them counts, and what an agent spent in them is unknown. */
function addWork(open: Map<StepKey, OpenStep>, until: string, resumed: JournalEvent): void {
  for (const [key, { since, ...step }] of open) {
    if (since === undefined) continue;
    const isInterrupted = step.mayCost === true && step.nextAt === undefined && !isAttached(resumed, key);
    open.set(key, {
      ...step,
      workedMs: (step.workedMs ?? 0) + spanMs(since, until),
      spentBefore: isInterrupted ? [...step.spentBefore, INTERRUPTED] : step.spentBefore,
    });
  }
}
