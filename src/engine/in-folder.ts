import type { Durable, Pool } from './durable.ts';

/** The same interface and keys, for work whose workspace is another folder: every effect sees it as the workspace (`StepOptions.folder`). */
export function inFolder<Effects>(durable: Durable<Effects>, folder: string): Durable<Effects> {
  return {
    step: (key, effect, input, options) => durable.step(key, effect, input, { folder, ...options }),
    pool: <Output, Value>(slots: number, body: (pool: Pool<Effects, Output>) => Promise<Value>) =>
      durable.pool<Output, Value>(slots, (pool) => body(poolIn(pool, folder))),
    sleepUntil: (key, at, options) => durable.sleepUntil(key, at, options),
    answer: (key, question, options) => durable.answer(key, question, options),
    now: (key) => durable.now(key),
    workedBetween: (from, to) => durable.workedBetween(from, to),
    spentElsewhere: () => durable.spentElsewhere(),
    get atEnd() {
      return inFolder(durable.atEnd, folder);
    },
  };
}

function poolIn<Effects, Output>(pool: Pool<Effects, Output>, folder: string): Pool<Effects, Output> {
  return {
    get free() {
      return pool.free;
    },
    get running() {
      return pool.running;
    },
    start: ({ key, body }) => pool.start({ key, body: (own) => body(inFolder(own, folder)) }),
    next: () => pool.next(),
    stop: (key) => pool.stop(key),
  };
}
