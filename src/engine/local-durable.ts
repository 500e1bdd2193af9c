/**
 * `Durable` over a journal file: one process, one event loop.
 *
 * L1 What a call answered is in the journal, synced, before the program sees it (J2). A `derived` record is written at once and
 *    synced with the next one: should it be lost, the replay derives it again.
 * L2 A recorded call is answered without touching the world.
 * L3 A stop — interruption, cancellation, a full disk — rejects every open call with the same reason and records nothing of them;
 *    a cancellation reaches those of `atEnd` later (D5).
 * L4 `idle` is told when the only thing left is to wait for answers: no effect and no timer is under way, and a whole turn of the
 *    event loop has passed in which the program could have begun one.
 */
import type { Answer, JournalEvent, Progress, Question } from '../model/event.ts';
import { adviceFor, type Failure } from '../model/failure.ts';
import { type StepKey, stepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput, Spent } from '../model/record.ts';
import type {
  BranchCall,
  BranchResult,
  Durable,
  Effect,
  Programs,
  RunSite,
  StepOptions,
  Stepped,
} from './durable.ts';
import type { Recorded } from './recorded.ts';
import { decideRetry, NO_RETRY } from './retry.ts';
import { waitUnlessStopped } from './wait-unless-stopped.ts';
import type { Wait } from './wait-until.ts';

/** What the engine needs of the run it works in. */
export interface LocalHost<Effects> {
  readonly programs: Programs<Effects>;
  readonly effects: { readonly [name: string]: Effect<never, EffectOutput> };
  readonly site: RunSite;
  readonly recorded: Recorded;
  readonly signal: AbortSignal;
  /** For the calls of `atEnd`. */
  readonly endSignal: AbortSignal;
  /** Synced before it resolves, then shown. */
  record(event: JournalEvent): Promise<void>;
  /** Written at once, synced with the next `record`. */
  recordSoon(event: JournalEvent): void;
  show(key: StepKey, progress: Progress): void;
  /** The answer a person gave meanwhile, where there is one. */
  findAnswer(key: StepKey): Answer | undefined;
  /** Takes secrets out of data: what is recorded and what the program sees are the same (D2). */
  redact(data: JsonValue): JsonValue;
  /** Shown, not recorded: it stands in the journal already. */
  tell(event: JournalEvent): void;
  /** A question that is asked anew has no answer yet, whatever was answered before. */
  forgetAnswer(key: StepKey): void;
  /** L4. */
  idle(waitingFor: ReadonlySet<StepKey>): void;
}

/** The state that all branches of a run share. */
export class LocalWork<Effects> {
  readonly host: LocalHost<Effects>;
  readonly #claimed = new Set<string>();
  readonly #open = new Set<Promise<unknown>>();
  readonly #waiting = new Map<StepKey, (answer: Answer) => void>();
  #active = 0;

  constructor(host: LocalHost<Effects>) {
    this.host = host;
  }

  /** D1. */
  claim(key: StepKey): void {
    if (this.#claimed.has(key)) throw new Error(`the key \`${key}\` is used twice in one run`);
    this.#claimed.add(key);
  }

  /** Counts as under way until it settles. */
  async active<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    signal.throwIfAborted();
    this.#active += 1;
    const running = work();
    this.#open.add(running);
    try {
      return await running;
    } finally {
      this.#open.delete(running);
      this.#active -= 1;
      this.#lookForIdle();
    }
  }

  waitForAnswer(key: StepKey, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
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

  /** Hands an answer that has come to whoever waits for it. */
  deliver(key: StepKey, answer: Answer): void {
    this.#waiting.get(key)?.(answer);
  }

  get waitingFor(): ReadonlySet<StepKey> {
    return new Set(this.#waiting.keys());
  }

  /** Resolves when every open effect has let go, so that nothing writes after the end. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled([...this.#open]);
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

export function createLocalDurable<Effects>(
  work: LocalWork<Effects>,
  prefix: string,
  signal: AbortSignal = work.host.signal,
): Durable<Effects> {
  const { host } = work;
  const { recorded } = host;
  const whole = (key: StepKey): StepKey => {
    const full = prefix === '' ? key : stepKey(prefix, key);
    work.claim(full);
    return full;
  };

  return {
    async step(key, effect, input, options) {
      const full = whole(key);
      const known = recorded.steps.get(full);
      if (known !== undefined) {
        recorded.steps.delete(full);
        if (known.effect !== effect) {
          throw new Error(
            `the journal has \`${known.effect}\` at \`${full}\`, and the program asks for \`${effect}\``,
          );
        }
        return known as unknown as Stepped<never>;
      }
      return (await work.active(signal, () =>
        runStep(host, { key: full, effect, input, signal }, options),
      )) as Stepped<never>;
    },

    async branches(calls, limit) {
      return runBranches(work, { calls, limit, prefix, signal });
    },

    async sleepUntil(key, at, options) {
      const full = whole(key);
      const known = recorded.sleeps.get(full);
      if (known?.ended === true) return;
      await work.active(signal, async () => {
        const since = known?.since ?? nowText();
        if (known === undefined) {
          await host.record({ type: 'sleep-started', at: since, key: full, until: at });
        }
        await waitUnlessStopped(pauseOf(since, known?.until ?? at), signal, options?.stopFile);
        await host.record({ type: 'sleep-ended', at: nowText(), key: full });
      });
    },

    async answer(key, question) {
      const full = whole(key);
      const known = recorded.answers.get(full);
      if (known !== undefined) return known;
      if (!recorded.asked.has(full)) {
        host.forgetAnswer(full);
        await work.active(signal, () =>
          host.record({ type: 'question-asked', at: nowText(), key: full, question }),
        );
      } else {
        host.tell({ type: 'question-asked', at: nowText(), key: full, question });
      }
      const answer = host.findAnswer(full) ?? expired(question) ?? (await work.waitForAnswer(full, signal));
      await work.active(signal, () =>
        host.record({ type: 'question-answered', at: nowText(), key: full, answer }),
      );
      return answer;
    },

    async now(key) {
      const full = whole(key);
      const known = recorded.times.get(full);
      if (known !== undefined) return known;
      signal.throwIfAborted();
      const at = nowText();
      // L1: a time that is written into a document must be the same after a power loss.
      await host.record({ type: 'time-read', at, key: full });
      return at;
    },

    get atEnd() {
      return createLocalDurable(work, prefix, host.endSignal);
    },
  };
}

interface StepCall {
  readonly key: StepKey;
  readonly effect: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

async function runStep<Effects>(
  host: LocalHost<Effects>,
  call: StepCall,
  options: StepOptions | undefined,
): Promise<Stepped<EffectOutput>> {
  const { key, effect, signal } = call;
  const run = host.effects[effect];
  if (run === undefined) throw new Error(`there is no effect \`${effect}\``);
  const input = call.input as JsonValue;
  const policy = options?.retry ?? NO_RETRY;
  const open = host.recorded.open.get(key);
  const startedAt = open?.startedAt ?? nowText();
  const clock = process.hrtime();
  let counted = open?.counted ?? 0;
  const spentBefore: Spent[] = [...(open?.spentBefore ?? [])];
  let attempt = open === undefined ? 1 : open.nextAt === undefined ? open.attempt : open.attempt + 1;
  const end = async (output: EffectOutput, stopped: boolean): Promise<Stepped<EffectOutput>> => {
    const at = nowText();
    const ended = {
      attempts: stopped ? Math.max(1, counted) : counted + 1,
      startedAt,
      durationMs: elapsedMs(clock),
      output: output as unknown as JsonValue,
      ...(spentBefore.length === 0 ? {} : { spentBefore }),
      ...(stopped ? { stopped } : {}),
    };
    const event: JournalEvent = { type: 'step-ended', at, key, effect, ...ended };
    if (options?.derived === true) host.recordSoon(event);
    else await host.record(event);
    return { ...ended, output, endedAt: at };
  };
  const isStopped = (ended: EndedAttempt): Promise<boolean> =>
    waitUnlessStopped(waitAfter(ended), signal, options?.stopFile);
  const { endedAt, nextAt, failure: cause } = open ?? {};
  if (endedAt !== undefined && nextAt !== undefined && cause !== undefined) {
    if (await isStopped({ endedAt, nextAt, failure: cause })) return end({ failure: cause }, true);
  }

  for (let repeated = open !== undefined && open.nextAt === undefined; ; repeated = false) {
    if (options?.derived !== true) {
      host.recordSoon({
        type: 'step-started',
        at: nowText(),
        key,
        effect,
        attempt,
        input: host.redact(input),
        ...(repeated ? { repeated } : {}),
      });
    }
    const answered = await run(input as never, {
      key,
      attempt,
      signal,
      run: host.site,
      emit: (progress) => host.show(key, progress),
      processStarted: (pid, startTime) =>
        host.recordSoon({ type: 'process-started', at: nowText(), key, pid, startTime }),
    });
    const output = host.redact(answered as unknown as JsonValue) as unknown as EffectOutput;
    const { failure, spent } = output;
    if (failure === undefined) return end(output, false);
    const decision = decideRetry(policy, {
      failure,
      counted: counted + 1,
      startedAt,
      now: Date.now(),
      random: Math.random(),
    });
    if (decision.type === 'give-up') return end(output, false);
    const now = Date.now();
    const endedAt = new Date(now).toISOString();
    const nextAt = new Date(now + decision.afterMs).toISOString();
    await host.record({
      type: 'attempt-ended',
      at: endedAt,
      key,
      attempt,
      failure,
      counted: decision.counted,
      nextAt,
      ...(spent === undefined ? {} : { spent }),
    });
    if (decision.counted) counted += 1;
    if (spent !== undefined) spentBefore.push(spent);
    attempt += 1;
    // What the try cost stands in its own record.
    if (await isStopped({ endedAt, nextAt, failure })) return end({ failure }, true);
  }
}

interface EndedAttempt {
  readonly endedAt: string;
  readonly nextAt: string;
  readonly failure: Failure;
}

/** A limit ends when the wall clock says so; a pause has a length. */
function waitAfter({ endedAt, nextAt, failure }: EndedAttempt): Wait {
  const advice = adviceFor(failure);
  const isTold = advice.type === 'wait' && advice.until !== undefined;
  return isTold ? { at: Date.parse(nextAt) } : pauseOf(endedAt, nextAt);
}

function pauseOf(since: string, until: string): Wait {
  const at = Date.parse(until);
  return { at, longestMs: Math.max(0, at - Date.parse(since)) };
}

interface BranchWork {
  readonly calls: readonly BranchCall[];
  readonly limit: number;
  readonly prefix: string;
  readonly signal: AbortSignal;
}

/**
 * Settles all, in the order of the calls; the first bug or stop is thrown when the last one has settled. After a stop the others are
 * begun all the same: what an earlier process had begun in them tidies up, and nothing else gets past its first call.
 */
async function runBranches<Effects>(
  work: LocalWork<Effects>,
  { calls, limit, prefix, signal }: BranchWork,
): Promise<readonly BranchResult[]> {
  const results: BranchResult[] = new Array(calls.length);
  const problems: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < calls.length && (problems.length === 0 || signal.aborted)) {
      const index = next;
      next += 1;
      const call = calls[index];
      if (call === undefined) return;
      const program = work.host.programs[call.program];
      if (program === undefined) throw new Error(`there is no program \`${call.program}\``);
      const branch = createLocalDurable(work, prefix === '' ? call.key : `${prefix}/${call.key}`, signal);
      try {
        results[index] = { key: call.key, output: await program(branch, call.input) };
      } catch (problem) {
        problems.push(problem);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, calls.length)) }, lane));
  if (problems.length > 0) throw problems[0];
  return results;
}

function expired(question: Question): Answer | undefined {
  if (question.expiresAt === undefined || Date.parse(question.expiresAt) > Date.now()) return undefined;
  return { type: 'expired', ...(question.default === undefined ? {} : { choice: question.default }) };
}

/** `performance` would do as well, and costs 1 ms to load. */
function elapsedMs(since: [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime(since);
  return Math.round(seconds * 1000 + nanoseconds / 1e6);
}

function nowText(): string {
  return new Date().toISOString();
}
