/** A week of schedules in simulated time, over a change of the clocks, with kills at random moments. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Simulation, scheduled } from './simulation.ts';

const ZONE = 'Europe/Berlin';
const MINUTE = 60_000;

/** Local time, by the standard library rather than by the one under test. */
const LOCAL = new Intl.DateTimeFormat('en-GB', {
  ...{ timeZone: ZONE, hourCycle: 'h23', weekday: 'short' },
  ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
});

interface Local {
  readonly day: string;
  readonly weekday: string;
  readonly hour: number;
  readonly minute: number;
}

function local(at: number): Local {
  const parts = Object.fromEntries(LOCAL.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    day: `${parts['month']}-${parts['day']}`,
    weekday: parts['weekday'] ?? '',
    hour: Number(parts['hour']),
    minute: Number(parts['minute']),
  };
}

const SCHEDULES: { readonly [file: string]: { cron: string; isDue: (at: Local) => boolean } } = {
  'hour.yaml': { cron: '0 * * * *', isDue: ({ minute }) => minute === 0 },
  'night.yaml': { cron: '30 2 * * *', isDue: ({ hour, minute }) => hour === 2 && minute === 30 },
  'weekday.yaml': {
    cron: '0 9 * * mon-fri',
    isDue: ({ hour, minute, weekday }) => hour === 9 && minute === 0 && !/Sat|Sun/.test(weekday),
  },
  'noon.yaml': {
    cron: '0 12 25 * *',
    isDue: ({ day, hour, minute }) => /-25/.test(day) && hour === 12 && minute === 0,
  },
};

/** When each schedule is due. A local time that comes twice counts once; one that is left out counts when the clocks have moved. */
function expectedStarts(from: number, to: number): ReadonlyMap<string, readonly string[]> {
  const starts = new Map<string, string[]>();
  for (const [file, { isDue }] of Object.entries(SCHEDULES)) {
    const list: string[] = [];
    const daysOfNight = new Set<string>();
    for (let at = from + MINUTE; at <= to; at += MINUTE) {
      const here = local(at);
      const isLeftOut = file === 'night.yaml' && here.hour === 3 && local(at - MINUTE).hour === 1;
      if (!isDue(here) && !isLeftOut) continue;
      if (file === 'night.yaml' && daysOfNight.has(here.day)) continue;
      daysOfNight.add(here.day);
      list.push(new Date(at).toISOString());
    }
    starts.set(file, list);
  }
  return starts;
}

/** A small generator, so that a failing seed can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const WEEKS = [
  ['the clocks are set back', '2026-10-21T22:00:00Z'],
  ['the clocks are set forward', '2026-03-25T23:00:00Z'],
] as const;

describe.each(WEEKS)('a week in which %s', { timeout: 180_000 }, (_what, start) => {
  it.each([1, 2])('loses and doubles no start (seed %i)', async (seed) => {
    const workflows = Object.entries(SCHEDULES).map(([file, { cron }]) => [
      `workflows/${file}`,
      scheduled(`{ cron: "${cron}", timezone: ${ZONE}, catch_up: once }`),
    ]);
    const simulation = new Simulation(Object.fromEntries(workflows), start);
    onTestFinished(() => simulation.stop());
    await simulation.start();
    const next = random(seed);
    const from = simulation.now.getTime();
    const to = from + 7 * 24 * 60 * MINUTE;
    let kills = 0;
    for (let at = from + MINUTE; at <= to; at += MINUTE) {
      // Nothing happens in most minutes.
      if (local(at).minute % 30 !== 0 && next() < 0.99) continue;
      const lives = next() < 0.5 ? Math.floor(next() * 30) : Number.POSITIVE_INFINITY;
      let isKilled = await simulation.at(new Date(at + Math.floor(next() * 1000)), lives);
      while (isKilled) {
        kills += 1;
        await simulation.start();
        isKilled = await simulation.at(
          new Date(simulation.now.getTime() + 1),
          next() < 0.3 ? Math.floor(next() * 12) : undefined,
        );
      }
    }
    expect(kills).toBeGreaterThan(50);
    const started = new Map(Object.keys(SCHEDULES).map((file) => [file, [] as string[]]));
    for (const { at, file } of simulation.started)
      started.get(file)?.push(new Date(Math.floor(at.getTime() / MINUTE) * MINUTE).toISOString());
    expect(started).toEqual(expectedStarts(from, to));
    expect(new Set(simulation.started.map(({ runId }) => runId)).size).toBe(simulation.started.length);
  });
});
