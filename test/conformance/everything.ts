import type { Durable, Program } from '../../src/engine/durable.ts';
import { runAll } from '../../src/engine/pool.ts';
import { stepKey } from '../../src/model/ids.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { TestEffects } from './durable.ts';

async function pair(durable: Durable<TestEffects>, name: string): Promise<number> {
  const a = await durable.step(stepKey('a'), 'count', { name: `${name}/a` });
  const b = await durable.step(stepKey('b'), 'count', { name: `${name}/b` });
  return a.output.value + b.output.value;
}

/** Some of everything, each effect under its own name. */
export const everything: Program<TestEffects> = async (durable) => {
  const values: JsonValue[] = [];
  for (let i = 0; i < 3; i += 1) {
    values.push((await durable.step(stepKey('loop', i), 'count', { name: `loop/${i}` })).output.value);
  }
  const flaky = await durable.step(
    stepKey('flaky'),
    'flaky',
    { name: 'flaky', failures: [{ type: 'timed-out', afterMs: 1 }] },
    { retry: { max: 2, delayMs: 1, backoff: 1, maxDelayMs: 1, jitter: 0, limitWaitMs: 0 } },
  );
  values.push(flaky.output.value, flaky.attempts);
  const calls = ['x', 'y'].map((name) => ({
    key: stepKey('both', name),
    body: (branch: Durable<TestEffects>) => pair(branch, name),
  }));
  values.push(...(await runAll(durable, 2, calls)));
  return values;
};
