/**
 * Runs a program over the record of a run, without a world: recorded calls are answered, the first other one in every branch is rejected, as
 * after a stop. Nothing is written.
 */
import type { JournalEvent } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';
import type { Durable, Pool, RunSite, Stepped } from './durable.ts';
import { createLocalDurable, LocalWork } from './local-durable.ts';
import { recordedIn } from './recorded.ts';
import type { Stop } from './run-stop.ts';

export function replayOver<Effects>(
  events: readonly JournalEvent[],
  { site, redact }: { readonly site: RunSite; redact(data: JsonValue): JsonValue },
): Durable<Effects> {
  const stop = AbortSignal.abort({ type: 'suspended' } satisfies Stop);
  const work = new LocalWork({
    effects: {},
    site,
    recorded: recordedIn(events),
    signal: stop,
    endSignal: stop,
    record: () => Promise.reject(stop.reason),
    recordSoon: () => {},
    workedMs: () => 0,
    show: () => {},
    writeState: () => {},
    isInPlace: () => true,
    expectInPlace: () => {},
    findAnswer: () => undefined,
    redact,
    announce: () => {},
    forgetAnswer: () => {},
    idle: () => {},
  });
  return withoutNotes(createLocalDurable<Effects>(work, ''));
}

/** Notes only say how to show something: those that are not recorded, or no longer, are no reason to stop. */
function withoutNotes<Effects>(durable: Durable<Effects>): Durable<Effects> {
  return {
    step: async (key, effect, input, options) => {
      if (effect !== 'note') return durable.step(key, effect, input, options);
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
          start: (call) => pool.start({ key: call.key, body: (branch) => call.body(withoutNotes(branch)) }),
          next: () => pool.next(),
          stop: (key) => pool.stop(key),
        }),
      ),
    sleepUntil: (key, at, options) => durable.sleepUntil(key, at, options),
    answer: (key, question) => durable.answer(key, question),
    now: (key) => durable.now(key),
    workedBetween: (from, to) => durable.workedBetween(from, to),
    get atEnd() {
      return withoutNotes(durable.atEnd);
    },
  };
}
