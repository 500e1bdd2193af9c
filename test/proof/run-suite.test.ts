import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { violationsText } from '../../proof/main.ts';
import { createRandom } from '../../proof/random.ts';
import { renderPage } from '../../proof/render-page.ts';
import { runSuite } from '../../proof/run-suite.ts';
import { type Point, type Suite, Violation } from '../../proof/suite.ts';
import { tryAgain } from '../../proof/try-again.ts';

const OPTIONS = { seed: 7, scale: 'full', root: '/', jobs: 3 } as const;

it('reports for a violation what was expected and found, where its folder is, and how to repeat it', async () => {
  const suite = suiteOf([
    passing('good'),
    {
      id: 'bad/1',
      check(trial) {
        fs.writeFileSync(path.join(trial.folder(), 'left.txt'), 'evidence');
        throw new Violation({ expected: 'one line', found: 'two lines', where: 'left.txt' });
      },
    },
  ]);
  const result = await runSuite(suite, OPTIONS);
  const folder = result.violations[0]?.folder ?? '';
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  expect(fs.readFileSync(path.join(folder, 'left.txt'), 'utf8')).toBe('evidence');
  expect(result.tried).toBe(2);
  expect(violationsText(result)).toBe(`
violation: sample/bad/1
  expected: one line
  found:    two lines
  where:    left.txt
  kept:     ${folder}
  repeat:   npm run proof -- --seed 7 --only 'sample/bad/1'
`);
});

it('treats a check that throws, or does not end, as a violation', async () => {
  const suite: Suite = {
    ...suiteOf([
      {
        id: 'breaks',
        check() {
          throw new TypeError('no such thing');
        },
      },
      { id: 'hangs', check: () => new Promise<void>(() => {}) },
    ]),
    timeLimitMs: 20,
  };
  const { violations } = await runSuite(suite, OPTIONS);
  expect(violations.map(({ id, expected }) => [id, expected])).toEqual([
    ['breaks', 'a check that ends'],
    ['hangs', 'an end within 0.02 s, later if the machine is busy'],
  ]);
});

it('counts skipped points by reason, neither as tried nor as violations', async () => {
  const skipping = (id: string): Point => ({ id, check: (trial) => trial.skip('no such disk') });
  const result = await runSuite(suiteOf([skipping('a'), passing('b'), skipping('c')]), OPTIONS);
  expect(result).toMatchObject({ tried: 1, violations: [], skipped: { 'no such disk': 2 } });
});

it('adds up what is counted, and keeps the longest of times, also over several runs', async () => {
  const working = (id: string, ms: number): Point => ({
    id,
    check(trial) {
      trial.count('kills', 2);
      trial.took('until nothing was left', ms);
    },
  });
  const [first, second] = [
    await runSuite(suiteOf([working('a', 40.2), working('b', 140.4)]), OPTIONS),
    await runSuite(suiteOf([working('a', 90)]), { ...OPTIONS, seed: 8 }),
  ];
  expect(first).toMatchObject({ figures: { kills: 4 }, longest: { 'until nothing was left': 140 } });
  const setting = { version: '1.0.0', commit: 'abc', node: '20', platform: 'Linux x64' };
  const runs = [first, second].map((result) => ({
    seed: result.seed,
    suites: { sample: { ...result, setting } },
  }));
  const page = renderPage(runs, undefined);
  expect(page).toContain('What was done, in all runs:\n\n- kills: 6\n');
  expect(page).toContain('The longest time:\n\n- until nothing was left: 0.14 s\n');
});

it('gives a point the same random values alone and among others', async () => {
  const drawn: { [id: string]: number[] } = {};
  const drawing = (id: string): Point => ({
    id,
    check(trial) {
      drawn[id] = [trial.random.next(), trial.random.next()];
    },
  });
  await runSuite(suiteOf([drawing('a'), drawing('b')]), OPTIONS);
  const { b: among } = drawn;
  await runSuite(suiteOf([drawing('a'), drawing('b')]), { ...OPTIONS, only: 'b' });
  expect(drawn['b']).toEqual(among);
  await runSuite(suiteOf([drawing('b')]), { ...OPTIONS, seed: 8 });
  expect(drawn['b']).not.toEqual(among);
});

it('refuses two points with one id, and an unknown point', async () => {
  await expect(runSuite(suiteOf([passing('a'), passing('a')]), OPTIONS)).rejects.toThrow('two points');
  await expect(runSuite(suiteOf([passing('a')]), { ...OPTIONS, only: 'b' })).rejects.toThrow(
    'unknown point `b`',
  );
});

it('removes every folder of passed checks', async () => {
  const folders: string[] = [];
  const suite: Suite = {
    ...{ name: 'sample', title: 'A sample.' },
    *points(context) {
      folders.push(context.folder());
      yield {
        id: 'a',
        check(trial) {
          folders.push(trial.folder(), trial.folder());
        },
      };
    },
  };
  await runSuite(suite, OPTIONS);
  expect(folders.map((folder) => fs.existsSync(folder))).toEqual([false, false, false]);
});

it('draws evenly, keeps the order of a sample, and loses nothing in a shuffle', () => {
  const random = createRandom('even');
  const tally = [0, 0, 0, 0];
  for (let turn = 0; turn < 4000; turn += 1) {
    const drawn = random.integer(0, 3);
    tally[drawn] = (tally[drawn] ?? 0) + 1;
  }
  for (const count of tally) expect(count).toBeGreaterThan(800);
  const numbers = Array.from({ length: 100 }, (_, place) => place);
  const sample = random.sample(numbers, 10);
  expect(sample).toHaveLength(10);
  expect([...sample].sort((a, b) => a - b)).toEqual(sample);
  expect([...random.shuffle(numbers)].sort((a, b) => a - b)).toEqual(numbers);
});

function suiteOf(points: readonly Point[]): Suite {
  return { name: 'sample', title: 'A sample.', points: () => points };
}

function passing(id: string): Point {
  return { id, check() {} };
}

it('tries what a saved run found again, and lists as fixed what is gone', async () => {
  const bad = (id: string): Point => ({
    id,
    check() {
      throw new Violation({ expected: 'one line', found: 'two lines' });
    },
  });
  const setting = { version: '1', commit: 'old', node: '20', platform: 'Linux x64' };
  const first = await runSuite(suiteOf([bad('a/1'), bad('b/1/x'), bad('c'), passing('d')]), OPTIONS);
  // The points of `b` are numbered differently now.
  const now = suiteOf([passing('a/1'), passing('b/2/x'), bad('c'), passing('d')]);
  const again = { ...setting, commit: 'new' };
  const tried = await tryAgain(now, { ...first, setting }, { ...OPTIONS, setting: again });
  expect(tried.violations.map(({ id }) => id)).toEqual(['c']);
  expect(tried.fixed?.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
    { id: 'a/1', expected: 'one line', found: 'two lines', tried: 'a/1', setting: again },
    { id: 'b/1/x', expected: 'one line', found: 'two lines', tried: 'b', setting: again },
  ]);
  expect(renderPage([{ seed: 7, suites: { sample: tried } }], undefined)).toContain(
    `| 7 | 1 (old) | ${tried.endedAt.slice(0, 10)} | Linux x64, Node 20 | 4 | 0 | 1 (2 fixed) | 0 s |`,
  );
});
