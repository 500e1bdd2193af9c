import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Program } from '../../src/engine/durable.ts';
import { stepKey } from '../../src/model/ids.ts';
import { createJournal, readJournal } from '../../src/store/journal-file.ts';
import type { TestEffects } from '../conformance/durable.ts';
import { graph, race, Uneven } from '../conformance/pool.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { LocalEngine } from './local-engine.ts';

function eventsOf(engine: LocalEngine) {
  const read = readJournal(engine.paths.journal);
  if (read.type === 'error') throw new Error(read.error.message);
  return read.value.events;
}

describe('a pool that was killed', () => {
  it.each([1, 5, 11, 23])(
    'resumes from every record as it started, whichever branch then ends first (%i)',
    async (salt) => {
      const folder = temporaryFolder();
      fs.mkdirSync(path.join(folder, 'whole'));
      const whole = new LocalEngine(path.join(folder, 'whole'));
      const order = (await whole.start(graph(5), new Uneven(salt))).output as number[];
      const lines = fs.readFileSync(whole.paths.journal, 'utf8').split('\n').slice(0, -1);
      for (let kept = 2; kept < lines.length; kept += 1) {
        const engine = new LocalEngine(path.join(folder, `cut-${kept}`));
        fs.mkdirSync(engine.paths.logs, { recursive: true });
        fs.writeFileSync(engine.paths.journal, `${lines.slice(0, kept).join('\n')}\n`);
        const before = eventsOf(engine);
        const ends = before.filter((event) => event.type === 'branch-ended').length;
        const begun = before.flatMap((event) => (event.type === 'step-started' ? [event.key] : []));
        const done = before.flatMap((event) => (event.type === 'step-ended' ? [event.key] : []));
        const world = new Uneven(salt + 2);
        const resumed = (await engine.resume(graph(5), world)).output as number[];
        expect(resumed.slice(0, ends)).toEqual(order.slice(0, ends));
        const ended = eventsOf(engine).flatMap((event) => (event.type === 'step-ended' ? [event.key] : []));
        expect(ended).toEqual([...new Set(ended)]);
        expect(ended).toEqual(expect.arrayContaining(begun));
        for (const key of done) expect(world.touched.has(key.replace('node/', ''))).toBe(false);
      }
    },
  );

  it.each([1, 5, 11, 23])(
    'while it stops branches resumes from every record to the same end (%i)',
    async (salt) => {
      const folder = temporaryFolder();
      fs.mkdirSync(path.join(folder, 'whole'));
      const whole = new LocalEngine(path.join(folder, 'whole'));
      const winner = (await whole.start(race, new Uneven(salt))).output as number;
      const lines = fs.readFileSync(whole.paths.journal, 'utf8').split('\n').slice(0, -1);
      for (let kept = 2; kept < lines.length; kept += 1) {
        const engine = new LocalEngine(path.join(folder, `cut-${kept}`));
        fs.mkdirSync(engine.paths.logs, { recursive: true });
        fs.writeFileSync(engine.paths.journal, `${lines.slice(0, kept).join('\n')}\n`);
        const before = eventsOf(engine);
        const done = before.flatMap((event) => (event.type === 'step-ended' ? [event.key] : []));
        const stopped = before.flatMap((event) => (event.type === 'branch-stopped' ? [event.key] : []));
        const world = new Uneven(salt + 2);
        const resumed = await engine.resume(race, world);
        expect(resumed.status).toBe('completed');
        if (before.some((event) => event.type === 'branch-ended')) expect(resumed.output).toBe(winner);
        const events = eventsOf(engine);
        const ended = events.flatMap((event) => (event.type === 'step-ended' ? [event.key] : []));
        expect(ended).toEqual([...new Set(ended)]);
        const stops = events.flatMap((event) => (event.type === 'branch-stopped' ? [event.key] : []));
        expect(stops).toEqual([...new Set(stops)]);
        expect(stops).toHaveLength(2);
        for (const key of done) expect(world.touched.has(key.replace('node/', ''))).toBe(false);
        for (const key of stopped)
          expect(
            [...world.touched.keys()].filter((name) => name.startsWith(key.replace('node/', ''))),
          ).toEqual([]);
      }
    },
  );

  it('resumes a journal of an older version, without ends of branches, and repeats nothing', async () => {
    const engine = new LocalEngine(temporaryFolder());
    const program: Program<TestEffects> = async (durable) => {
      const order = await graph(7)(durable, null);
      await durable.answer(stepKey('ask'), { message: '?', choices: ['a'] });
      return order;
    };
    await engine.start(program, new Uneven(5));
    const events = eventsOf(engine).filter((event) => event.type !== 'branch-ended');
    fs.rmSync(engine.paths.journal);
    const journal = createJournal(engine.paths.journal);
    for (const event of events) journal.appendNow(event);
    journal.close();
    await engine.answer('ask', 'a');
    const again = new Uneven(11);
    expect((await engine.resume(program, again)).output).toHaveLength(7);
    expect(again.touched.size).toBe(0);
  });
});
