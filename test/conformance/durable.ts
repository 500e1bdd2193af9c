/**
 * What every implementation of `Durable` must do, as programs. An implementation exports an `Engine` and calls
 * `describeDurable`; nothing here depends on where the record is kept.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Effect, Program } from '../../src/engine/durable.ts';
import type { RetryPolicy } from '../../src/engine/retry.ts';
import { NO_RETRY } from '../../src/engine/retry.ts';
import type { RunStatus } from '../../src/model/event.ts';
import type { Failure } from '../../src/model/failure.ts';
import { stepKey } from '../../src/model/ids.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { EffectOutput } from '../../src/model/record.ts';
import { until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

export type TestEffects = {
  count: {
    readonly input: { readonly name: string };
    readonly output: EffectOutput & { readonly value: number };
  };
  flaky: {
    readonly input: { readonly name: string; readonly failures: readonly Failure[] };
    readonly output: EffectOutput & { readonly value: string };
  };
  hold: { readonly input: { readonly name: string }; readonly output: EffectOutput };
};

/** Counts how often the world was really touched. */
export class World {
  readonly touched = new Map<string, number>();
  readonly holding = new Map<string, () => void>();
  #highest = 0;
  #inside = 0;

  get highestConcurrency(): number {
    return this.#highest;
  }

  readonly effects: {
    readonly [Name in keyof TestEffects]: Effect<TestEffects[Name]['input'], TestEffects[Name]['output']>;
  } = {
    count: async ({ name }) => {
      this.#inside += 1;
      this.#highest = Math.max(this.#highest, this.#inside);
      await this.pass(name);
      this.#inside -= 1;
      return { value: this.touch(name) };
    },
    flaky: async ({ name, failures }, { attempt }) => {
      this.touch(name);
      const failure = failures[attempt - 1];
      return failure === undefined
        ? { value: `worked at attempt ${attempt}` }
        : { value: '', failure, spent: { costUsd: 0.5 } };
    },
    hold: async ({ name }, { signal }) => {
      this.touch(name);
      await new Promise<void>((resolve, reject) => {
        this.holding.set(name, resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return {};
    },
  };

  /** How long `count` takes. */
  protected async pass(_name: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  touch(name: string): number {
    const times = (this.touched.get(name) ?? 0) + 1;
    this.touched.set(name, times);
    return times;
  }
}

export interface TestEnd {
  readonly status: Exclude<RunStatus, 'running'>;
  readonly output?: JsonValue;
}

export interface Engine {
  start(program: Program<TestEffects>, world: World): Promise<TestEnd>;
  /** Resumes the run that `start` started, in a new process as far as the program can tell. */
  resume(program: Program<TestEffects>, world: World): Promise<TestEnd>;
  /** Stops the running run, as a signal would. */
  interrupt(): void;
  answer(key: string, choice: string): Promise<void>;
}

const QUICK: RetryPolicy = { ...NO_RETRY, max: 3, delayMs: 1, maxDelayMs: 5 };

export function describeDurable(createEngine: () => Engine): void {
  const started = (at: string) => new Date(at).getTime();

  it('runs an effect once and answers from the record after a restart', async () => {
    const engine = createEngine();
    const world = new World();
    const program: Program<TestEffects> = async (durable) => {
      const first = await durable.step(stepKey('first'), 'count', { name: 'first' });
      const answer = await durable.answer(stepKey('ask'), { message: 'continue?', choices: ['yes'] });
      const second = await durable.step(stepKey('second'), 'count', { name: 'second' });
      return [first.output.value, answer.choice ?? null, second.output.value];
    };
    expect((await engine.start(program, world)).status).toBe('waiting');
    await engine.answer('ask', 'yes');
    expect(await engine.resume(program, world)).toMatchObject({ status: 'completed', output: [1, 'yes', 1] });
    expect(Object.fromEntries(world.touched)).toEqual({ first: 1, second: 1 });
  });

  it('returns the same times, attempts and durations to a resumed program', async () => {
    const engine = createEngine();
    const world = new World();
    const seen: unknown[] = [];
    const program: Program<TestEffects> = async (durable) => {
      const at = await durable.now(stepKey('clock'));
      const flaky = await durable.step(
        stepKey('flaky'),
        'flaky',
        { name: 'flaky', failures: [{ type: 'exit-code', exitCode: 1 }] },
        { retry: QUICK },
      );
      seen.push([at, flaky]);
      await durable.answer(stepKey('ask'), { message: '?', choices: ['a'] });
      return null;
    };
    await engine.start(program, world);
    await engine.answer('ask', 'a');
    await engine.resume(program, world);
    expect(seen).toHaveLength(2);
    expect(seen[1]).toMatchObject(seen[0] as object);
    expect(world.touched.get('flaky')).toBe(2);
  });

  it('retries a failed attempt as the policy says, and returns the last failure when it gives up', async () => {
    const engine = createEngine();
    const world = new World();
    const fails: Failure = { type: 'timed-out', afterMs: 1 };
    const program: Program<TestEffects> = async (durable) => {
      const { output, attempts, spentBefore } = await durable.step(
        stepKey('s'),
        'flaky',
        { name: 's', failures: [fails, fails, fails, fails, fails, fails] },
        { retry: { ...QUICK, max: 2 } },
      );
      return { type: output.failure?.type ?? null, attempts, paid: (spentBefore ?? []).length };
    };
    expect(await engine.start(program, world)).toMatchObject({
      output: { type: 'timed-out', attempts: 3, paid: 2 },
    });
    expect(world.touched.get('s')).toBe(3);
  });

  it('waits for a usage limit without counting the attempt', async () => {
    const engine = createEngine();
    const world = new World();
    const limit: Failure = {
      type: 'agent',
      outcome: {
        type: 'rate-limited',
        resetsAt: new Date(Date.now() - 1000).toISOString(),
        message: 'limit',
      },
    };
    const program: Program<TestEffects> = async (durable) => {
      const { output, attempts } = await durable.step(
        stepKey('s'),
        'flaky',
        { name: 's', failures: [limit] },
        { retry: { ...NO_RETRY, limitWaitMs: 60_000 } },
      );
      return { value: output.value, attempts };
    };
    expect(await engine.start(program, world)).toMatchObject({
      output: { value: 'worked at attempt 2', attempts: 1 },
    });
  });

  it('ends a pause when a stop is requested: before a retry, after a restart, and in a sleep', async () => {
    const stopFile = path.join(temporaryFolder(), 'stop');
    const resetsAt = new Date(Date.now() + 3_600_000).toISOString();
    const limit: Failure = { type: 'agent', outcome: { type: 'rate-limited', resetsAt, message: 'limit' } };
    const program: Program<TestEffects> = async (durable) => {
      const { output, attempts, stopped, spentBefore } = await durable.step(
        stepKey('s'),
        'flaky',
        { name: 's', failures: [limit] },
        { retry: { ...NO_RETRY, limitWaitMs: 7_200_000 }, stopFile },
      );
      await durable.sleepUntil(stepKey('sleep'), resetsAt, { stopFile });
      return {
        why: output.failure?.type ?? null,
        attempts,
        stopped: stopped ?? false,
        paid: spentBefore?.length ?? 0,
      };
    };
    const expected = { why: 'agent', attempts: 1, stopped: true, paid: 1 };
    const engine = createEngine();
    const world = new World();
    const first = engine.start(program, world);
    while (!world.touched.has('s')) await new Promise((resolve) => setImmediate(resolve));
    engine.interrupt();
    expect((await first).status).toBe('interrupted');
    const second = engine.resume(program, world);
    fs.writeFileSync(stopFile, '');
    expect(await second).toMatchObject({ status: 'completed', output: expected });
  });

  it('gives up on a limit that resets later than the policy allows', async () => {
    const engine = createEngine();
    const world = new World();
    const limit: Failure = {
      type: 'agent',
      outcome: {
        type: 'rate-limited',
        resetsAt: new Date(Date.now() + 3_600_000).toISOString(),
        message: 'limit',
      },
    };
    const program: Program<TestEffects> = async (durable) => {
      const { output } = await durable.step(
        stepKey('s'),
        'flaky',
        { name: 's', failures: [limit] },
        { retry: { ...NO_RETRY, limitWaitMs: 1000 } },
      );
      return output.failure?.type ?? null;
    };
    expect(await engine.start(program, world)).toMatchObject({ output: 'agent' });
  });

  it('gives up on a limit that persists longer than the policy allows', async () => {
    const engine = createEngine();
    const world = new World();
    const resetsAt = new Date(Date.now() - 1000).toISOString();
    const limit: Failure = { type: 'agent', outcome: { type: 'rate-limited', resetsAt, message: 'limit' } };
    const program: Program<TestEffects> = async (durable) => {
      const { output, attempts } = await durable.step(
        stepKey('s'),
        'flaky',
        { name: 's', failures: Array.from({ length: 100 }, () => limit) },
        { retry: { ...NO_RETRY, limitWaitMs: 1500 } },
      );
      return { why: output.failure?.type ?? null, attempts };
    };
    expect(await engine.start(program, world)).toMatchObject({ output: { why: 'agent', attempts: 1 } });
  });

  it('uses the default of a question that has expired', async () => {
    const engine = createEngine();
    const world = new World();
    const program: Program<TestEffects> = async (durable) =>
      await durable.answer(stepKey('ask'), {
        message: '?',
        choices: ['a', 'b'],
        default: 'b',
        expiresAt: new Date(0).toISOString(),
      });
    expect(await engine.start(program, world)).toMatchObject({ output: { type: 'expired', choice: 'b' } });
  });

  it('sleeps until the time of the first call, even across a restart', async () => {
    const engine = createEngine();
    const world = new World();
    const wakeAt = new Date(Date.now() + 40).toISOString();
    const program: Program<TestEffects> = async (durable) => {
      await durable.sleepUntil(stepKey('nap'), wakeAt);
      const woke = await durable.now(stepKey('woke'));
      await durable.answer(stepKey('ask'), { message: '?', choices: ['a'] });
      return started(woke) >= started(wakeAt);
    };
    await engine.start(program, world);
    await engine.answer('ask', 'a');
    expect(await engine.resume(program, world)).toMatchObject({ output: true });
  });

  it('records nothing for an interrupted step, and runs it again', async () => {
    const engine = createEngine();
    const world = new World();
    const program: Program<TestEffects> = async (durable) => {
      await durable.step(stepKey('before'), 'count', { name: 'before' });
      await durable.step(stepKey('held'), 'hold', { name: 'held' });
      return 'through';
    };
    const first = engine.start(program, world);
    await until(() => world.holding.has('held'));
    engine.interrupt();
    expect((await first).status).toBe('interrupted');
    world.holding.clear();
    const second = engine.resume(program, world);
    await until(() => world.holding.has('held'));
    world.holding.get('held')?.();
    expect(await second).toMatchObject({ status: 'completed', output: 'through' });
    expect(Object.fromEntries(world.touched)).toEqual({ before: 1, held: 2 });
  });

  it('ends with status failed when the output names a failure', async () => {
    const engine = createEngine();
    const program: Program<TestEffects> = async () => ({ failure: { type: 'exhausted', iterations: 3 } });
    expect((await engine.start(program, new World())).status).toBe('failed');
  });

  it('treats a key that is used twice as a bug', async () => {
    const engine = createEngine();
    const program: Program<TestEffects> = async (durable) => {
      await durable.step(stepKey('same'), 'count', { name: 'a' });
      await durable.step(stepKey('same'), 'count', { name: 'b' });
      return null;
    };
    const world = new World();
    expect((await engine.start(program, world)).status).toBe('failed');
    expect(Object.fromEntries(world.touched)).toEqual({ a: 1 });
  });
}
