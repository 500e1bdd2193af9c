/** What the pool of every implementation of `Durable` must do, as programs. */
import { expect, it } from 'vitest';
import type { Durable, Program } from '../../src/engine/durable.ts';
import { runAll } from '../../src/engine/pool.ts';
import { stepKey } from '../../src/model/ids.ts';
import { until } from '../rig/orchestrate.ts';
import { type Engine, type TestEffects, World } from './durable.ts';

type Branch = Durable<TestEffects>;

/** An effect takes a number of event loop turns that depends on its name and a salt: another salt gives another order of ends. */
export class Uneven extends World {
  readonly #salt: number;

  constructor(salt: number) {
    super();
    this.#salt = salt;
  }

  protected override async pass(name: string): Promise<void> {
    let turns = 1;
    for (const character of name) turns = (turns * 31 + character.charCodeAt(0) * this.#salt) % 37;
    for (let turn = 0; turn < turns; turn += 1) await super.pass(name);
  }
}

/** The first effects end only when this many have started: an engine that runs fewer at once never gets further. */
class Barrier extends World {
  readonly #wanted: number;
  readonly #open: (() => void)[] = [];
  #started = 0;

  constructor(wanted: number) {
    super();
    this.#wanted = wanted;
  }

  protected override async pass(name: string): Promise<void> {
    this.#started += 1;
    if (this.#started < this.#wanted) await new Promise<void>((open) => this.#open.push(open));
    else for (const open of this.#open.splice(0)) open();
    await super.pass(name);
  }
}

/** `5` needs `3` and `4`, which need `0` and `1`; `2` and `6` need nothing. */
const NEEDS: readonly (readonly number[])[] = [[], [], [], [0], [1], [3, 4], []];

/** A graph in two slots. No node starts after `most` ends. Its output is the order in which it received them. */
export const graph =
  (most: number): Program<TestEffects> =>
  (durable) =>
    durable.pool<number, number[]>(2, async (pool) => {
      const order: number[] = [];
      const waiting = new Set(NEEDS.keys());
      for (;;) {
        for (const node of [...waiting]) {
          const isReady = NEEDS[node]?.every((needed) => order.includes(needed));
          if (order.length >= most || pool.free === 0 || isReady !== true) continue;
          waiting.delete(node);
          pool.start({ key: stepKey('node', node), body: (branch) => twoSteps(branch, node) });
        }
        const ended = await pool.next();
        if (ended === undefined) return order;
        order.push(ended.output);
      }
    });

/** Three branches, of which the last never ends: the first to end wins, and the others are stopped. Then a fourth runs, and a step. */
export const race: Program<TestEffects> = async (durable) => {
  const winner = await durable.pool<number, number>(3, async (pool) => {
    for (const node of [0, 1])
      pool.start({ key: stepKey('node', node), body: (branch) => twoSteps(branch, node) });
    pool.start({
      key: stepKey('node', 2),
      body: async (branch) => {
        await branch.step(stepKey('a'), 'hold', { name: '2/a' });
        return twoSteps(branch, 2);
      },
    });
    const first = await pool.next();
    await Promise.all(pool.running.map((key) => pool.stop(key)));
    pool.start({ key: stepKey('node', 3), body: (branch) => twoSteps(branch, 3) });
    await pool.next();
    return first?.output ?? -1;
  });
  await durable.step(stepKey('after'), 'count', { name: `after ${winner}` });
  return winner;
};

async function twoSteps(durable: Branch, node: number): Promise<number> {
  await durable.step(stepKey('a'), 'count', { name: `${node}/a` });
  await durable.step(stepKey('b'), 'count', { name: `${node}/b` });
  return node;
}

export function describePool(createEngine: () => Engine): void {
  const calls = (names: readonly string[], body: (durable: Branch, name: string) => Promise<string>) =>
    names.map((name) => ({ key: stepKey(name), body: (durable: Branch) => body(durable, name) }));

  it('runs at most as many branches at once as there are slots, and returns results in the order of the calls', async () => {
    const world = new Barrier(2);
    const program: Program<TestEffects> = async (durable) => [
      ...(await runAll(
        durable,
        2,
        calls(['x', 'y', 'z', 'w', 'v'], async (branch, name) => {
          const a = await branch.step(stepKey('a'), 'count', { name: `${name}/a` });
          const b = await branch.step(stepKey('b'), 'count', { name: `${name}/b` });
          return `${name}: ${a.output.value + b.output.value}`;
        }),
      )),
    ];
    expect(await createEngine().start(program, world)).toMatchObject({
      status: 'completed',
      output: ['x: 2', 'y: 2', 'z: 2', 'w: 2', 'v: 2'],
    });
    expect(world.highestConcurrency).toBe(2);
  });

  it('leaves no slot idle: a slow branch does not block the others', async () => {
    const world = new World();
    const program: Program<TestEffects> = async (durable) => [
      ...(await runAll(
        durable,
        2,
        calls(['slow', 'b', 'c', 'd', 'e'], async (branch, name) => {
          await branch.step(stepKey('s'), name === 'slow' ? 'hold' : 'count', { name });
          return name;
        }),
      )),
    ];
    const end = createEngine().start(program, world);
    await until(() => world.touched.has('e'));
    expect([...world.touched.keys()].sort()).toEqual(['b', 'c', 'd', 'e', 'slow']);
    world.holding.get('slow')?.();
    expect(await end).toMatchObject({ status: 'completed', output: ['slow', 'b', 'c', 'd', 'e'] });
  });

  it('returns the ends after a restart in the same order as before', async () => {
    const engine = createEngine();
    const seen: unknown[] = [];
    const program: Program<TestEffects> = async (durable) => {
      const order = await graph(7)(durable, null);
      seen.push(order);
      await durable.answer(stepKey('ask'), { message: '?', choices: ['a'] });
      return order;
    };
    await engine.start(program, new Uneven(5));
    await engine.answer('ask', 'a');
    const again = new Uneven(11);
    await engine.resume(program, again);
    expect(seen[1]).toEqual(seen[0]);
    expect(again.touched.size).toBe(0);
  });

  it('reports running branches and free slots based only on what the program did', async () => {
    const program: Program<TestEffects> = (durable) =>
      durable.pool<string, (string | number)[][]>(2, async (pool) => {
        const seen: (string | number)[][] = [];
        const look = () => seen.push([pool.free, ...pool.running]);
        look();
        let ended = 0;
        for (const call of calls(['a', 'b'], async (branch, name) => {
          await branch.step(stepKey('s'), 'count', { name });
          ended += 1;
          return name;
        }))
          pool.start(call);
        while (ended < 2) await new Promise((resolve) => setImmediate(resolve));
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        look();
        for (; (await pool.next()) !== undefined; ) look();
        return seen;
      });
    expect(await createEngine().start(program, new World())).toMatchObject({
      output: [[2], [0, 'a', 'b'], [1, 'b'], [2]],
    });
  });

  it('waits in one branch while the others finish, then stops as a whole', async () => {
    const engine = createEngine();
    const world = new World();
    const program: Program<TestEffects> = async (durable) => [
      ...(await runAll(durable, 2, [
        {
          key: stepKey('p'),
          body: async (branch: Branch) =>
            (await branch.answer(stepKey('ask'), { message: '?', choices: ['ok'] })).choice ?? null,
        },
        {
          key: stepKey('q'),
          body: async (branch: Branch) => {
            for (const key of ['1', '2', '3']) await branch.step(stepKey(key), 'count', { name: key });
            return 'worked';
          },
        },
      ])),
    ];
    expect((await engine.start(program, world)).status).toBe('waiting');
    expect(Object.fromEntries(world.touched)).toEqual({ 1: 1, 2: 1, 3: 1 });
    await engine.answer('p/ask', 'ok');
    expect(await engine.resume(program, world)).toMatchObject({ output: ['ok', 'worked'] });
    expect(Object.fromEntries(world.touched)).toEqual({ 1: 1, 2: 1, 3: 1 });
  });

  it('waits for running branches when the program leaves it, and ends the run for a bug', async () => {
    const world = new World();
    const program: Program<TestEffects> = (durable) =>
      durable.pool<string, null>(2, async (pool) => {
        for (const call of calls(['held', 'quick'], async (branch, name) => {
          await branch.step(stepKey('s'), name === 'held' ? 'hold' : 'count', { name });
          return name;
        }))
          pool.start(call);
        await pool.next();
        throw new Error('a bug');
      });
    const end = createEngine().start(program, world);
    await until(() => world.holding.has('held') && world.touched.has('quick'));
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    world.holding.get('held')?.();
    expect((await end).status).toBe('failed');
  });

  it('stops a branch: what it runs is stopped, its clean-up runs, and the others continue', async () => {
    const engine = createEngine();
    const world = new World();
    const program: Program<TestEffects> = (durable) =>
      durable.pool<string, string[]>(3, async (pool) => {
        const held = async (branch: Branch, name: string): Promise<string> => {
          try {
            await branch.step(stepKey('s'), 'hold', { name });
            await branch.step(stepKey('never'), 'count', { name: `${name}, after it was stopped` });
            return name;
          } finally {
            await branch.atEnd.step(stepKey('tidy'), 'count', { name: `${name} tidied up` });
          }
        };
        pool.start({ key: stepKey('stopped'), body: (branch) => held(branch, 'stopped') });
        pool.start({
          key: stepKey('nested'),
          body: async (branch) => (await runAll(branch, 2, calls(['x', 'y'], held))).join(),
        });
        pool.start({ key: stepKey('kept'), body: (branch) => held(branch, 'kept') });
        await until(() => world.holding.size === 4);
        await Promise.all([pool.stop(stepKey('stopped')), pool.stop(stepKey('nested'))]);
        const seen = [`${pool.free} free`, ...pool.running];
        world.holding.get('kept')?.();
        for (let ended = await pool.next(); ended !== undefined; ended = await pool.next())
          seen.push(ended.output);
        return seen;
      });
    expect(await engine.start(program, world)).toMatchObject({
      status: 'completed',
      output: ['2 free', 'kept', 'kept'],
    });
    expect([...world.touched.keys()].filter((name) => name.includes('after'))).toEqual([
      'kept, after it was stopped',
    ]);
    expect([...world.touched.keys()].filter((name) => name.includes('tidied')).sort()).toEqual([
      'kept tidied up',
      'stopped tidied up',
      'x tidied up',
      'y tidied up',
    ]);
  });

  it('starts nothing in a stopped branch after a restart', async () => {
    const engine = createEngine();
    const program: Program<TestEffects> = async (durable) => {
      const winner = await race(durable, null);
      await durable.answer(stepKey('ask'), { message: '?', choices: ['a'] });
      return winner;
    };
    const world = new Uneven(5);
    await engine.start(program, world);
    expect(world.touched.has('2/b')).toBe(false);
    await engine.answer('ask', 'a');
    const again = new Uneven(11);
    await engine.resume(program, again);
    expect(again.touched.size).toBe(0);
  });

  it('treats stopping a branch that is not running as a bug', async () => {
    const program: Program<TestEffects> = (durable) =>
      durable.pool<string, null>(1, async (pool) => {
        await pool.stop(stepKey('nobody'));
        return null;
      });
    expect((await createEngine().start(program, new World())).status).toBe('failed');
  });

  it.each([
    ['a branch without a free slot', ['a', 'b']],
    ['a branch twice', ['a', 'a']],
  ])('treats starting %s as a bug', async (_, keys) => {
    const program: Program<TestEffects> = (durable) =>
      durable.pool<string, null>(keys[0] === keys[1] ? 2 : 1, async (pool) => {
        for (const call of calls(keys, async (_branch, name) => name)) pool.start(call);
        return null;
      });
    expect((await createEngine().start(program, new World())).status).toBe('failed');
  });
}
