/**
 * Runs a program over the record of a run, without a world: recorded calls are answered, the first other one in every branch is rejected, as
 * after a stop. Nothing is written.
 */
import type { Answer, JournalEvent } from '../model/event.ts';
import { insideKey, type StepKey } from '../model/ids.ts';
import { isSameJson, type JsonValue } from '../model/json.ts';
import { wordsOf } from './compare-question.ts';
import { withoutLimits } from './divergence.ts';
import type { Durable, Pool, RunSite, Stepped } from './durable.ts';
import { createLocalDurable, LocalWork } from './local-durable.ts';
import { recordedIn } from './recorded.ts';
import type { Stop } from './run-stop.ts';

export function replayOver<Effects>(
  events: readonly JournalEvent[],
  {
    site,
    redact,
    findAnswer,
    onOtherInput,
  }: {
    readonly site: RunSite;
    redact(data: JsonValue): JsonValue;
    /** The answer that was given to a question meanwhile. */
    findAnswer?(key: StepKey): Answer | undefined;
    /** Called for every answered step that asks for something else than the recorded one did. */
    onOtherInput?(key: StepKey): void;
  },
): Durable<Effects> {
  const recorded = recordedIn(events);
  const stop = AbortSignal.abort({ type: 'suspended' } satisfies Stop);
  const work = new LocalWork({
    effects: {},
    site,
    recorded,
    signal: stop,
    endSignal: stop,
    record: () => Promise.reject(stop.reason),
    recordSoon: () => {},
    workedMs: () => 0,
    show: () => {},
    writeState: () => {},
    isInPlace: () => true,
    expectInPlace: () => {},
    findAnswer: (key) => findAnswer?.(key),
    redact,
    announce: () => {},
    forgetAnswer: () => undefined,
    idle: () => {},
  });
  const inputs = onOtherInput === undefined ? new Map<StepKey, JsonValue>() : inputsIn(events);
  const isOther = (key: StepKey, input: JsonValue): boolean => {
    const isDone = recorded.steps.has(key) || recorded.answers.has(key);
    const before = isDone ? inputs.get(key) : undefined;
    return before !== undefined && !isSameJson(withoutLimits(before), withoutLimits(redact(input)));
  };
  return observed(createLocalDurable<Effects>(work, ''), '', (key, input) => {
    if (isOther(key, input)) onOtherInput?.(key);
  });
}

/** What the steps and questions asked for, without secrets. */
function inputsIn(events: readonly JournalEvent[]): Map<StepKey, JsonValue> {
  return new Map(
    events.flatMap((event) => {
      if (event.type === 'question-asked') return [[event.key, wordsOf(event.question)] as const];
      return event.type === 'step-started' && event.input !== undefined
        ? [[event.key, event.input] as const]
        : [];
    }),
  );
}

/**
 * `onStep` is called for every step and question before it is answered. Notes only say how to show something: those that are not recorded, or no longer, are
 * no reason to stop.
 */
function observed<Effects>(
  durable: Durable<Effects>,
  prefix: string,
  onStep: (key: StepKey, input: JsonValue) => void,
): Durable<Effects> {
  const whole = (key: StepKey): StepKey => (prefix === '' ? key : insideKey(prefix, key));
  return {
    step: async (key, effect, input, options) => {
      if (effect !== 'note') {
        onStep(whole(key), input as JsonValue);
        return durable.step(key, effect, input, options);
      }
      const at = new Date(0).toISOString();
      const noted = { output: { note: input }, attempts: 1, startedAt: at, endedAt: at, durationMs: 0 };
      return noted as unknown as Stepped<never>;
    },
    pool: <Output, Value>(slots: number, body: (pool: Pool<Effects, Output>) => Promise<Value>) =>
      durable.pool<Output, Value>(slots, (pool) =>
        body({
          get free() {
            return pool.free;
          },
          get running() {
            return pool.running;
          },
          start: ({ key, body: branchBody }) =>
            pool.start({ key, body: (branch) => branchBody(observed(branch, whole(key), onStep)) }),
          next: () => pool.next(),
          stop: (key) => pool.stop(key),
        }),
      ),
    sleepUntil: (key, at, options) => durable.sleepUntil(key, at, options),
    answer: async (key, question, options) => {
      onStep(whole(key), wordsOf(question));
      return durable.answer(key, question, options);
    },
    now: (key) => durable.now(key),
    workedBetween: (from, to) => durable.workedBetween(from, to),
    spentElsewhere: () => durable.spentElsewhere(),
    get atEnd() {
      return observed(durable.atEnd, prefix, onStep);
    },
  };
}
