/**
 * `Durable` over a journal file: one process, one event loop.
 *
 * L1 A result is in the journal, synced, before the program sees it (J2). A `syncWithNext` record is written at once and
 *    synced with the next one: if it is lost, the replay derives it again.
 * L2 A recorded call is answered without touching the world.
 * L3 A stop — interruption, cancellation, a full disk — rejects every open call with the same reason and records nothing for them;
 *    a cancellation reaches the calls of `atEnd` later (D5). A stop of one branch (P7) does the same in that branch, and records the work
 *    that was running as cancelled, with its cost, since it is never repeated.
 * L4 `idle` is called when only answers are awaited: no effect or timer is active, and a full turn of the event loop has
 *    passed in which the program could have started one.
 * L5 When the program has returned, nothing more starts. A call that it left open, by a mistake, is stopped (R4).
 */
import { defined } from '../model/defined.ts';
import type { Answer, Question } from '../model/event.ts';
import { insideKey, type StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { Spent } from '../model/record.ts';
import { spanMs } from '../model/span.ts';
import { createBranchSignals } from './branch-signals.ts';
import { compareQuestion, questionRecord } from './compare-question.ts';
import { expiredAnswer } from './complete-answer.ts';
import { callDigest, Divergence, isSameCall, isSameWithLimits } from './divergence.ts';
import type { Compared, Durable, StepOptions, Stepped } from './durable.ts';
import { spentIn } from './forget-failures.ts';
import type { LocalHost } from './local-host.ts';
import { type PoolHost, withPool } from './pool.ts';
import type { RecordedStep } from './recorded.ts';
import { cancelIfStopped, HAS_ASKED, runStep } from './run-step.ts';
import type { Stop } from './run-stop.ts';
import { openQuestions } from './step-questions.ts';
import { stopFileOf, waitUnlessStopped } from './wait-unless-stopped.ts';
import { pauseOf, shortened } from './wait-until.ts';

/** Takes the place of a recorded step that was answered: its data is no longer needed, its key counts as used (D1). */
const ANSWERED = {} as RecordedStep;

/** L5 */
const LEFT_OPEN: Stop = { type: 'suspended' };

/** The state that all branches of a run share. */
export class LocalWork {
  readonly host: LocalHost;
  readonly #claimed = new Set<string>();
  readonly #open = new Set<Promise<unknown>>();
  readonly #waiting = new Map<StepKey, (answer: Answer) => void>();
  #active = 0;
  #isOver = false;
  /** Calls of earlier processes that cost something and were not made yet when they were first asked for. */
  #paid: readonly PaidCall[] | undefined;

  constructor(host: LocalHost) {
    this.host = host;
  }

  /** D1. */
  claim(key: StepKey): void {
    if (this.#claimed.has(key) || this.host.recorded.steps.get(key) === ANSWERED) throw usedTwice(key);
    this.#claimed.add(key);
  }

  /** The recorded step with this key, once. */
  recordedStep(key: StepKey): RecordedStep | undefined {
    const { steps } = this.host.recorded;
    const known = steps.get(key);
    if (known === undefined) return undefined;
    if (known === ANSWERED || this.#claimed.has(key)) throw usedTwice(key);
    steps.set(key, ANSWERED);
    return known;
  }

  /** The cost of recorded calls inside `prefix` that were not made. */
  spentElsewhere(prefix: string): readonly Spent[] {
    this.#paid ??= paidCalls(this.host.recorded);
    const { steps } = this.host.recorded;
    return this.#paid
      .filter(({ key }) => key.startsWith(prefix) && !this.#claimed.has(key) && steps.get(key) !== ANSWERED)
      .flatMap(({ spent }) => spent);
  }

  /** Counts as active until it settles. */
  async active<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    this.#throwIfOver(signal);
    this.#active += 1;
    try {
      return await this.open(signal, work);
    } finally {
      this.#active -= 1;
      this.#lookForIdle();
    }
  }

  /** Open until it settles, without counting as active. */
  async open<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    this.#throwIfOver(signal);
    const running = work();
    this.#open.add(running);
    try {
      return await running;
    } finally {
      this.#open.delete(running);
    }
  }

  waitForAnswer(key: StepKey, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#throwIfOver(signal);
      const stop = () => {
        this.#waiting.delete(key);
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.set(key, (answer) => {
        signal.removeEventListener('abort', stop);
        this.#waiting.delete(key);
        resolve(answer);
      });
      this.#lookForIdle();
    });
  }

  /** Resolves the call that waits for this answer. */
  deliver(key: StepKey, answer: Answer): void {
    this.#waiting.get(key)?.(answer);
  }

  get waitingFor(): ReadonlySet<StepKey> {
    return new Set(this.#waiting.keys());
  }

  /** L5. `stop` is called if something is open. Resolves when every open effect has ended, so that nothing writes after the end. */
  async end(stop: (reason: Stop) => void): Promise<void> {
    this.#isOver = true;
    if (this.#open.size > 0 || this.#waiting.size > 0) stop(LEFT_OPEN);
    while (this.#open.size > 0) await Promise.allSettled([...this.#open]);
  }

  #throwIfOver(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#isOver) throw LEFT_OPEN;
  }

  #lookForIdle(): void {
    if (this.#active > 0 || this.#waiting.size === 0) return;
    setImmediate(() => {
      if (this.#active === 0 && this.#waiting.size > 0 && !this.host.endSignal.aborted) {
        this.host.idle(this.waitingFor);
      }
    });
  }
}

interface PaidCall {
  readonly key: StepKey;
  readonly spent: readonly Spent[];
}

function paidCalls({ steps, open }: LocalHost['recorded']): readonly PaidCall[] {
  const paid: PaidCall[] = [];
  for (const [key, { spentBefore = [], output }] of steps) {
    const spent = [...spentBefore, ...(output === undefined ? [] : spentIn(output))];
    if (spent.length > 0) paid.push({ key, spent });
  }
  for (const [key, { spentBefore: spent }] of open) if (spent.length > 0) paid.push({ key, spent });
  return paid;
}

function usedTwice(key: StepKey): Error {
  return new Error(`the key \`${key}\` is used twice in one run`);
}

/** Calls of the work itself, or of the clean-up. */
interface CallMode {
  readonly signal: AbortSignal;
  /** For the calls of `atEnd`. */
  readonly end: AbortSignal;
  /** The clean-up of a run that was stopped. */
  readonly isStopped: boolean;
}

export function createLocalDurable<Effects>(
  work: LocalWork,
  prefix: string,
  mode: CallMode = { signal: work.host.signal, end: work.host.endSignal, isStopped: false },
): Durable<Effects> {
  const { signal, end } = mode;
  const host = mode.isStopped ? recordingAtStop(work.host) : work.host;
  const { recorded } = host;
  const inside = (key: StepKey): StepKey => (prefix === '' ? key : insideKey(prefix, key));
  const whole = (key: StepKey): StepKey => {
    const full = inside(key);
    work.claim(full);
    return full;
  };
  const answerAt = async (full: StepKey, question: Question, compares?: Compared): Promise<Answer> => {
    const known = recorded.answers.get(full);
    const asked = recorded.asked.get(full);
    const before = known ?? (asked === undefined ? undefined : host.findAnswer(full));
    const isSame = compareQuestion({ key: full, asked, question, compares }, before, host.redact);
    if (known !== undefined) return known;
    const isAsked = asked !== undefined && isSame;
    if (!isAsked) {
      const event = { key: full, ...questionRecord(question, compares, host.redact) };
      await work.active(signal, async () => {
        const forgotten = host.forgetAnswer(full);
        if (forgotten !== undefined) {
          await forgotten;
          signal.throwIfAborted();
        }
        await host.record({ type: 'question-asked', at: new Date().toISOString(), ...event });
      });
    }
    const given = isAsked ? before : host.findAnswer(full);
    // A question that was answered while no process ran is not asked again.
    if (isAsked && given === undefined)
      host.announce({ type: 'question-asked', at: new Date().toISOString(), key: full, question });
    const answer =
      given ??
      host.rehearsal?.answer(full, question) ??
      expired(question) ??
      (await work.waitForAnswer(full, signal));
    await work.active(signal, () =>
      host.record({ type: 'question-answered', at: new Date().toISOString(), key: full, answer }),
    );
    return answer;
  };
  /** D6: waits until everything that the step has asked is answered, all at once. */
  const stepAnswers = async (full: StepKey): Promise<void> => {
    await Promise.all(
      openQuestions(recorded, full).map(async ([key, question]) => {
        work.claim(key);
        recorded.answers.set(key, await answerAt(key, question));
      }),
    );
  };
  const poolHost: PoolHost<Effects> = {
    branch(key) {
      const own = createBranchSignals(inside(key), mode);
      const durable = createLocalDurable<Effects>(work, inside(key), {
        signal: own.signal,
        end: own.end,
        isStopped: mode.isStopped,
      });
      return { durable, stop: own.stop, release: own.release };
    },
    recordedEnd: (key) => recorded.ends.get(inside(key)),
    recordEnd: (key) =>
      host.recordSoon({ type: 'branch-ended', at: new Date().toISOString(), key: inside(key) }),
    hasRecordedStop: (key) => recorded.stopped.has(inside(key)),
    recordStop: (key) =>
      host.recordSoon({ type: 'branch-stopped', at: new Date().toISOString(), key: inside(key) }),
  };

  return {
    async step(key, effect, input, options) {
      const full = inside(key);
      const known = work.recordedStep(full);
      if (known !== undefined) {
        // Inline: a loop replays thousands, and most programs compare nothing.
        if (known.effect !== effect || options?.compares !== undefined)
          expectSame(host, known, { key: full, effect, input, compares: options?.compares });
        return steppedIn(known, input) as Stepped<never>;
      }
      work.claim(full);
      await cancelIfStopped(host, { key: full, effect, signal });
      const run = () => runStep(host, { key: full, effect, input, signal }, options);
      for (;;) {
        await stepAnswers(full);
        const ended = await (options?.mayWait === true ? work.open(signal, run) : work.active(signal, run));
        if (ended !== HAS_ASKED) return ended as Stepped<never>;
      }
    },

    pool: (slots, body) => withPool(poolHost, slots, body),

    async sleepUntil(key, at, options) {
      const full = whole(key);
      const known = recorded.sleeps.get(full);
      if (known?.ended === true) return;
      await work.active(signal, async () => {
        const since = known?.since ?? new Date().toISOString();
        if (known === undefined) {
          await host.record({ type: 'sleep-started', at: since, key: full, until: at });
        }
        const leftMs =
          options?.workLimitMs === undefined ? undefined : Math.max(0, options.workLimitMs - host.workedMs());
        const until = options?.compares === undefined ? (known?.until ?? at) : at;
        const wait = shortened(pauseOf(since, until), leftMs);
        if (host.rehearsal === undefined) await waitUnlessStopped(wait, signal, stopFileOf(host, options));
        await host.record({ type: 'sleep-ended', at: new Date().toISOString(), key: full });
      });
    },

    answer: (key, question, options) => answerAt(whole(key), question, options?.compares),

    async now(key) {
      const full = whole(key);
      const known = recorded.times.get(full);
      if (known !== undefined) return known;
      signal.throwIfAborted();
      const at = host.rehearsal?.now ?? new Date().toISOString();
      // L1: a time that is written into a document must be the same after a power loss.
      const workedMs = host.workedMs();
      await work.active(signal, () => host.record({ type: 'time-read', at, key: full, workedMs }));
      recorded.times.set(full, at);
      recorded.worked.set(full, workedMs);
      return at;
    },

    workedBetween(from, to) {
      const [begun, ended] = [inside(from), inside(to)].map((key) => recorded.worked.get(key));
      if (begun === undefined || ended === undefined) {
        return spanMs(recorded.times.get(inside(from)) ?? '', recorded.times.get(inside(to)) ?? '');
      }
      // A fork that took over the beginning has worked only since it started.
      return ended < begun ? ended : ended - begun;
    },

    spentElsewhere: () => work.spentElsewhere(prefix === '' ? '' : `${prefix}/`),

    get atEnd() {
      const isStopped = mode.isStopped || work.host.signal.aborted;
      return createLocalDurable(work, prefix, { signal: end, end, isStopped });
    },
  };
}

/** D7 */
function expectSame(
  host: LocalHost,
  known: RecordedStep,
  asked: {
    readonly key: StepKey;
    readonly effect: string;
    readonly input: unknown;
    readonly compares: StepOptions['compares'];
  },
): void {
  const { key, effect, compares } = asked;
  const input = asked.input as JsonValue;
  if (known.effect !== effect)
    throw new Divergence({ type: 'other-effect', recorded: known.effect, key, effect, input });
  if (compares === undefined || known.digest === undefined) return;
  if (compares.since !== undefined && known.at <= compares.since) return;
  const isSame =
    isSameCall(known.digest, callDigest(input, compares, host.redact)) ||
    isSameWithLimits(known.digest, input, host.redact);
  if (!isSame) {
    const item = compares.within?.item;
    throw new Divergence({ type: 'other-input', recorded: known.effect, key, effect, input, item });
  }
}

/** The contents of a note are in the call that repeats it. */
function steppedIn(step: RecordedStep, input: unknown): Stepped<unknown> {
  const { effect, attempts, startedAt, at: endedAt, durationMs, spentBefore, stopped } = step;
  const output = effect === 'note' ? { note: input } : step.output;
  const stepped = { output, attempts, startedAt, endedAt, durationMs };
  const isPlain = spentBefore === undefined && stopped === undefined;
  return isPlain ? stepped : { ...stepped, ...defined({ spentBefore, stopped }) };
}

/** D5 */
function recordingAtStop(host: LocalHost): LocalHost {
  return {
    ...host,
    record: (event) => host.record({ ...event, atStop: true }),
    recordSoon: (event) => host.recordSoon({ ...event, atStop: true }),
  };
}

function expired(question: Question): Answer | undefined {
  if (question.expiresAt === undefined || Date.parse(question.expiresAt) > Date.now()) return undefined;
  return expiredAnswer(question);
}
