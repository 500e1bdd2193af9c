import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Program } from '../../src/engine/durable.ts';
import { stepKey } from '../../src/model/ids.ts';
import { readJournal } from '../../src/store/journal-file.ts';
import { describeDurable, type TestEffects, World } from '../conformance/durable.ts';
import { everything } from '../conformance/everything.ts';
import { describePool } from '../conformance/pool.ts';
import { until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { LocalEngine } from './local-engine.ts';

describe('the local engine', () => {
  describeDurable(() => new LocalEngine(temporaryFolder()));
  describePool(() => new LocalEngine(temporaryFolder()));
});

describe('a killed run', () => {
  it('resumes from every record of its journal to the same end, repeating at most the running step', async () => {
    const folder = temporaryFolder();
    fs.mkdirSync(path.join(folder, 'whole'));
    const whole = new LocalEngine(path.join(folder, 'whole'));
    const end = await whole.start(everything, new World());
    const lines = fs.readFileSync(whole.paths.journal, 'utf8').split('\n').slice(0, -1);

    for (let kept = 2; kept < lines.length; kept += 1) {
      const engine = new LocalEngine(path.join(folder, `cut-${kept}`));
      fs.mkdirSync(engine.paths.logs, { recursive: true });
      fs.writeFileSync(engine.paths.journal, `${lines.slice(0, kept).join('\n')}\n`);
      const before = readJournal(engine.paths.journal);
      if (before.type === 'error') throw new Error(before.error.message);
      const recorded = before.value.events.flatMap((event) =>
        event.type === 'step-ended' ? [event.key] : [],
      );

      const world = new World();
      const resumed = await engine.resume(everything, world);

      expect(resumed.output).toEqual(end.output);
      for (const key of recorded) expect(world.touched.get(key.replace('both/', ''))).toBeUndefined();
      const again = readJournal(engine.paths.journal);
      if (again.type === 'error') throw new Error(again.error.message);
      const ended = again.value.events.flatMap((event) => (event.type === 'step-ended' ? [event.key] : []));
      expect(new Set(ended).size).toBe(ended.length);
    }
  });

  it('reports that the running step is repeated', async () => {
    const folder = temporaryFolder();
    const engine = new LocalEngine(folder);
    const world = new World();
    const program: Program<TestEffects> = async (durable) => {
      await durable.step(stepKey('held'), 'hold', { name: 'held' });
      return null;
    };
    const first = engine.start(program, world);
    await until(() => world.holding.has('held'));
    engine.interrupt();
    await first;
    world.holding.clear();
    const second = engine.resume(program, world);
    await until(() => world.holding.has('held'));
    world.holding.get('held')?.();
    await second;
    const starts = engine.events.filter((event) => event.type === 'step-started');
    expect(starts.map((event) => event.type === 'step-started' && event.again === 'repeated')).toEqual([
      false,
      true,
    ]);
  });
});

describe('a run', () => {
  it('reports nothing that is not in the journal yet', async () => {
    const engine = new LocalEngine(temporaryFolder());
    const early: string[] = [];
    const push = engine.events.push.bind(engine.events);
    engine.events.push = (...events) => {
      for (const event of events) {
        if (event.type === 'progress') continue;
        const journal = readJournal(engine.paths.journal);
        const known =
          journal.type === 'ok' &&
          journal.value.events.some((each) => each.type === event.type && each.at === event.at);
        if (!known) early.push(event.type);
      }
      return push(...events);
    };
    await engine.start(everything, new World());
    expect(early).toEqual([]);
    expect(engine.events.length).toBeGreaterThan(10);
  });

  it('leaves a complete state.json at its end, with the answer and nothing running', async () => {
    const engine = new LocalEngine(temporaryFolder());
    await engine.start(everything, new World());
    const state = JSON.parse(fs.readFileSync(engine.paths.state, 'utf8'));
    expect(state).toMatchObject({ schema_version: 1, kind: 'test', status: 'completed', current_step: null });
    expect(fs.existsSync(engine.paths.lock)).toBe(false);
  });

  it('that is resumed before it is answered keeps waiting, and reports for what', async () => {
    const engine = new LocalEngine(temporaryFolder());
    const program: Program<TestEffects> = async (durable) =>
      (await durable.answer(stepKey('ask'), { message: 'continue?', choices: ['yes'] })).choice ?? null;
    await engine.start(program, new World());
    expect((await engine.resume(program, new World())).status).toBe('waiting');
    const state = JSON.parse(fs.readFileSync(engine.paths.state, 'utf8'));
    expect(state).toMatchObject({
      status: 'waiting',
      waiting_for: { ask: { message: 'continue?', choices: ['yes'] } },
    });
    await engine.answer('ask', 'yes');
    expect(await engine.resume(program, new World())).toMatchObject({ status: 'completed', output: 'yes' });
  });

  it('that is completed is not changed by resume', async () => {
    const engine = new LocalEngine(temporaryFolder());
    await engine.start(everything, new World());
    const before = fs.readFileSync(engine.paths.journal);
    const world = new World();
    expect((await engine.resume(everything, world)).status).toBe('completed');
    expect(world.touched.size).toBe(0);
    expect(fs.readFileSync(engine.paths.journal)).toEqual(before);
  });
});

describe('while a run stops to wait', () => {
  const program: Program<TestEffects> = async (durable) => {
    await durable.step(stepKey('before'), 'count', { name: 'before' });
    const { choice } = await durable.answer(stepKey('ask'), { message: 'continue?', choices: ['yes'] });
    return choice ?? null;
  };
  const once = (work: () => Promise<void> | void): (() => Promise<void>) => {
    let isDone = false;
    return async () => {
      if (!isDone) await work();
      isDone = true;
    };
  };

  it('an answer is taken up: whoever gave it saw a process that owns the run', async () => {
    const engine = new LocalEngine(temporaryFolder());
    const world = new World();
    engine.whileEnding = once(() => engine.answer('ask', 'yes'));
    expect(await engine.start(program, world)).toMatchObject({ status: 'completed', output: 'yes' });
    expect(Object.fromEntries(world.touched)).toEqual({ before: 1 });
  });

  it('an answer is taken up in a resumed run, too', async () => {
    const engine = new LocalEngine(temporaryFolder());
    await engine.start(program, new World());
    engine.whileEnding = once(() => engine.answer('ask', 'yes'));
    expect(await engine.resume(program, new World())).toMatchObject({ status: 'completed', output: 'yes' });
  });

  it('an answer that was not offered leaves it waiting', async () => {
    const engine = new LocalEngine(temporaryFolder());
    engine.whileEnding = once(() => engine.answer('ask', 'perhaps'));
    expect(await engine.start(program, new World())).toMatchObject({ status: 'waiting' });
    expect(engine.events.filter(({ type }) => type === 'run-ended')).toHaveLength(1);
  });

  it('a cancellation is taken up', async () => {
    const engine = new LocalEngine(temporaryFolder());
    engine.whileEnding = once(() => engine.cancel());
    expect(await engine.start(program, new World())).toMatchObject({ status: 'cancelled' });
  });

  it('an interruption changes nothing', async () => {
    const engine = new LocalEngine(temporaryFolder());
    engine.whileEnding = once(() => engine.interrupt());
    expect(await engine.start(program, new World())).toMatchObject({ status: 'waiting' });
  });
});
