import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endTurn } from '../../../src/cluster/turn.ts';
import { RowAnswers } from '../../../src/engine/dbos/row-answers.ts';
import type { Program } from '../../../src/engine/durable.ts';
import { stepKey } from '../../../src/model/ids.ts';
import { readJournal } from '../../../src/store/journal-file.ts';
import { runPaths } from '../../../src/store/layout.ts';
import { describeDurable, type TestEffects, World } from '../../conformance/durable.ts';
import { everything } from '../../conformance/everything.ts';
import { describePool } from '../../conformance/pool.ts';
import { until } from '../../rig/orchestrate.ts';
import { databaseForFile } from '../../rig/postgres/for-file.ts';
import { Cluster, RowEngine } from './row-engine.ts';

const database = databaseForFile();
let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.create(database.url);
});
afterAll(() => cluster.close());

const held: Program<TestEffects> = async (durable) => {
  await durable.step(stepKey('before'), 'count', { name: 'before' });
  await durable.step(stepKey('held'), 'hold', { name: 'held' });
  return 'through';
};

/** The rows have a start of the held step: the first owner's, or that of a second one that has seen that it still runs. */
async function started(engine: RowEngine, again?: 'attached'): Promise<void> {
  const isStarted = async (): Promise<boolean> =>
    (await engine.events()).some(
      (event) => event.type === 'step-started' && event.key === 'held' && event.again === again,
    );
  while (!(await isStarted())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('the engine over rows of PostgreSQL, with effects on a worker', () => {
  describeDurable(() => new RowEngine(cluster));
  describePool(() => new RowEngine(cluster));
});

describe('a run whose owner died', () => {
  it('resumes from every record to the same end, repeating at most the running step', async () => {
    const whole = new RowEngine(cluster);
    const end = await whole.start(everything, new World());
    const events = await whole.events();
    for (let kept = 1; kept < events.length; kept += 1) {
      const engine = new RowEngine(cluster);
      const before = events.slice(0, kept);
      await engine.hold(before);
      const recorded = before.flatMap((event) => (event.type === 'step-ended' ? [event.key] : []));
      const world = new World();
      expect((await engine.resume(everything, world)).output).toEqual(end.output);
      for (const key of recorded) expect(world.touched.get(key.replace('both/', ''))).toBeUndefined();
      const after = await engine.events();
      const ended = after.flatMap((event) => (event.type === 'step-ended' ? [event.key] : []));
      expect(new Set(ended).size).toBe(ended.length);
    }
  }, 300_000);

  it('waits for a step that a worker is still running, instead of starting it again', async () => {
    const engine = new RowEngine(cluster);
    const world = new World();
    engine.start(held, world).catch(() => {});
    await until(() => world.holding.has('held'));
    await started(engine);
    // The first owner is left behind, as one that was stopped.
    const second = engine.resume(held, world);
    await started(engine, 'attached');
    world.holding.get('held')?.();
    expect(await second).toMatchObject({ status: 'completed', output: 'through' });
    expect(Object.fromEntries(world.touched)).toEqual({ before: 1, held: 1 });
    const starts = (await engine.events()).filter((event) => event.type === 'step-started');
    expect(starts.map(({ key, again }) => [key, again])).toEqual([
      ['before', undefined],
      ['held', undefined],
      ['held', 'attached'],
    ]);
  });
});

describe('a run that has failed when its owner dies', () => {
  const fails: Program<TestEffects> = async (durable) => {
    await durable.step(stepKey('step'), 'count', { name: 'step' });
    return { failure: { type: 'rejected', message: 'no' }, retryKeys: ['step'] };
  };

  it.each([
    ['has recorded that', 0],
    ['has not recorded that yet', 1],
  ])('stays failed if the owner %s: only a person has its failed steps tried again', async (_, lost) => {
    const whole = new RowEngine(cluster);
    await whole.start(fails, new World());
    const engine = new RowEngine(cluster);
    const events = await whole.events();
    await engine.hold(events.slice(0, events.length - lost));
    const world = new World();
    const end = await engine.resume(fails, world, { continuesItself: true });
    expect([end.status, world.touched.get('step')]).toEqual(['failed', undefined]);
    await engine.resume(fails, world);
    expect(world.touched.get('step')).toBe(1);
  });
});

describe('two owners of one run', () => {
  it('never both write: the one that was replaced loses the run, and leaves what runs alone', async () => {
    const engine = new RowEngine(cluster);
    const world = new World();
    const first = engine.start(held, world);
    await until(() => world.holding.has('held'));
    await started(engine);
    const second = engine.resume(held, world);
    await started(engine, 'attached');
    world.holding.get('held')?.();
    await expect(first).rejects.toThrow('lost-run');
    expect(await second).toMatchObject({ status: 'completed' });
    const ends = (await engine.events()).filter((event) => event.type === 'run-ended');
    expect(ends).toHaveLength(1);
  });

  it('write nothing once the other has taken the turn, even if that one has not written yet', async () => {
    const engine = new RowEngine(cluster);
    const world = new World();
    const first = engine.start(held, world);
    await until(() => world.holding.has('held'));
    await started(engine);
    await engine.takeOver();
    const before = await engine.events();
    world.holding.get('held')?.();
    await expect(first).rejects.toThrow('lost-run');
    expect(await engine.events()).toEqual(before);
    expect(await engine.resume(held, world)).toMatchObject({ status: 'completed' });
    expect(world.touched.get('held')).toBe(1);
  });

  it('leave one journal file in the folder, with the records of the rows', async () => {
    const engine = new RowEngine(cluster);
    const world = new World();
    const first = engine.start(held, world).catch(() => {});
    await until(() => world.holding.has('held'));
    await started(engine);
    const second = engine.resume(held, world);
    await started(engine, 'attached');
    world.holding.get('held')?.();
    await Promise.all([first, second]);
    const { journal, lock } = runPaths(engine.workspace, engine.runId);
    const mirrored = readJournal(journal);
    expect(mirrored).toMatchObject({ type: 'ok', value: { events: await engine.events() } });
    expect(fs.existsSync(lock)).toBe(false);
  });
});

describe('while a run stops to wait', () => {
  const program: Program<TestEffects> = async (durable) => {
    const { choice } = await durable.answer(stepKey('ask'), { message: 'continue?', choices: ['yes'] });
    return choice ?? null;
  };

  it.each([
    ['an answer lets its turn continue, even if the run has read it', 'yes', false],
    ['an answer that was not offered does not', 'perhaps', true],
  ])('%s', async (_, choice, isOver) => {
    const engine = new RowEngine(cluster);
    engine.whileEnding = async () => {
      await engine.answer('ask', choice);
      const before = engine.answersRead;
      await until(() => engine.answersRead > before + 1);
    };
    const end = await engine.start(program, new World());
    expect(end.status).toBe('waiting');
    expect(await endTurn(cluster.pool, engine.turn, end)).toBe(isOver);
  });

  it('an answer to an earlier question does not', async () => {
    const engine = new RowEngine(cluster);
    const twice: Program<TestEffects> = async (durable) => {
      await durable.answer(stepKey('ask'), { message: 'continue?', choices: ['yes'] });
      await durable.answer(stepKey('other'), { message: 'and now?', choices: ['yes'] });
      return null;
    };
    await engine.start(twice, new World());
    await engine.answer('ask', 'yes');
    const end = await engine.resume(twice, new World());
    expect(end).toMatchObject({ status: 'waiting', questions: { other: { choices: ['yes'] } } });
    expect(await endTurn(cluster.pool, engine.turn, end)).toBe(true);
  });
});

describe('a question that is asked again', () => {
  it('is recorded when the earlier answer is gone, which a later owner would take for the new one', async () => {
    const reviewed: Program<TestEffects> = async (durable) => {
      const question = { message: 'Merge?', choices: ['accept', 'reject'] };
      const { choice } = await durable.answer(stepKey('Fix/review'), question);
      return choice === 'reject'
        ? { failure: { type: 'rejected', message: 'no' }, retryKeys: ['Fix'] }
        : null;
    };
    const engine = new RowEngine(cluster);
    await engine.start(reviewed, new World());
    await engine.answer('Fix/review', 'reject');
    expect(await engine.resume(reviewed, new World())).toMatchObject({ status: 'failed' });
    expect(await engine.resume(reviewed, new World())).toMatchObject({ status: 'waiting' });
    expect(engine.questions.slice(-2)).toEqual(['has forgotten', 'asks']);
  });

  it('is not answered by an answer to the earlier one that the run has not read', async () => {
    const engine = new RowEngine(cluster);
    await engine.register();
    const answers = new RowAnswers(cluster.pool, engine.runId);
    await engine.answer('Fix/review', 'reject');
    await answers.forget(stepKey('Fix/review'));
    await answers.refresh();
    expect(answers.find(stepKey('Fix/review'), undefined)).toBeUndefined();
  });
});

describe('a call whose place in the queue the server did not confirm', () => {
  it('is cancelled with its run: nothing of it runs when the run has ended', async () => {
    const engine = new RowEngine(cluster);
    engine.whileConfirming = async () => {
      engine.whileConfirming = async () => {};
      engine.cancel();
      throw new Error('Connection terminated unexpectedly');
    };
    const program: Program<TestEffects> = async (durable) => {
      await durable.step(stepKey('held'), 'hold', { name: 'held' });
      return null;
    };
    expect(await engine.start(program, new World())).toMatchObject({ status: 'cancelled' });
    const { rows } = await cluster.pool.query(
      'select key, ended_at is not null as is_over, cancelled_at is not null as is_cancelled from orchestrate.calls where run_id = $1',
      [engine.runId],
    );
    expect(rows).toEqual([{ key: 'held', is_over: true, is_cancelled: true }]);
  });
});
