/** Waits with a duration, while the clock is set. */
import { must, mustEqual } from '../must.ts';
import { createSite, mustEnd, type Site, until } from '../site/site.ts';
import type { Point } from '../suite.ts';
import { type Clock, createClock, DAY, HOUR } from './clock.ts';
import { journalsOf, mustKeepTime } from './judge.ts';

interface Pause {
  readonly name: string;
  readonly steps: readonly object[];
  readonly exitCode: number;
  /** The record that starts the wait. */
  readonly begins: string;
}

const FLAKY = ['sh', '-c', '[ -e "$HOME/tried" ] || { touch "$HOME/tried"; exit 1; }'];

const PAUSES: readonly Pause[] = [
  {
    ...{ name: 'retry', exitCode: 0, begins: 'attempt-ended' },
    steps: [{ name: 'Flaky', command: FLAKY, retries: { max: 1, delay_ms: 1500 } }],
  },
  {
    ...{ name: 'repeat', exitCode: 0, begins: 'sleep-started' },
    steps: [
      {
        name: 'Rounds',
        repeat: {
          steps: [
            { name: 'Round', command: ['sh', '-c', 'echo x >> "$HOME/rounds"; wc -l < "$HOME/rounds"'] },
          ],
          ...{
            until: { equals: { left: '${steps.Round.output}', right: '2\n' } },
            delay_sec: 1.5,
            on_exhausted: 'continue',
            max_iterations: 2,
          },
        },
      },
    ],
  },
  {
    ...{ name: 'wait-for', exitCode: 1, begins: 'step-started' },
    steps: [{ name: 'Files', wait_for: { glob: 'never/*', timeout_sec: 2, poll_ms: 100 } }],
  },
];

/** The clock is set back by a day or forward by an hour during the wait, or between a kill and the resumption: it still ends. */
export function* pausePoints(): Generator<Point> {
  for (const pause of PAUSES) {
    for (const offset of [-DAY, HOUR]) {
      for (const isKilled of [false, true]) {
        yield {
          id: `pause/${pause.name}/${offset < 0 ? 'back' : 'forward'}/${isKilled ? 'over-a-kill' : 'during'}`,
          async check(trial) {
            const site = createSite(trial);
            const clock = createClock(site);
            site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps: pause.steps }) });
            const started = clock.start(['run', 'work.yaml', '--quiet']);
            await until(trial, 'the pause to start', () => hasRecord(site, pause.begins));
            if (isKilled) {
              process.kill(started.pid, 'SIGKILL');
              await started.ended;
            }
            clock.set(offset);
            const ended = isKilled ? await clock.run(['resume', 'last', '--quiet']) : await started.ended;
            mustEnd(ended, pause.exitCode, ['run', 'work.yaml']);
            await mustKeepTime(site, clock);
          },
        };
      }
    }
  }
}

function hasRecord(site: Site, type: string): boolean {
  try {
    return journalsOf(site).some((record) => record.type === type);
  } catch {
    return false;
  }
}

/** A question with a timeout expires when the clock says so, not before. */
export function questionPoint(): Point {
  return {
    id: 'question',
    async check(trial) {
      const site = createSite(trial);
      const clock = createClock(site);
      const approve = { message: 'Continue?', choices: ['yes', 'no'], timeout_sec: 7200, default: 'no' };
      const steps = [
        { name: 'Ask', approve },
        { name: 'Say', command: ['sh', '-c', 'echo ${steps.Ask.output} > answer'] },
      ];
      site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps }) });
      mustEnd(await clock.run(['run', 'work.yaml', '--quiet']), 3, ['run']);
      for (const offset of [HOUR, -DAY]) {
        clock.set(offset);
        mustEnd(await clock.run(['resume', 'last', '--quiet']), 3, ['resume']);
      }
      clock.set(3 * HOUR);
      mustEnd(await clock.run(['resume', 'last', '--quiet']), 0, ['resume']);
      mustEqual(site.read('answer').trim(), 'no', 'the answer');
      await mustKeepTime(site, clock);
    },
  };
}

/** Every step sets the clock by any amount in either direction. */
export function wildClock(round: number): Point {
  return {
    id: `wild-clock/${round}`,
    async check(trial) {
      const site = createSite(trial);
      const clock = createClock(site);
      const jumps = Array.from({ length: 8 }, () => trial.random.integer(-400 * DAY, 400 * DAY));
      const steps = jumps.map((jump, number) => ({
        name: `Jump${number}`,
        command: [
          'sh',
          '-c',
          `printf %s ${jump} > .clock.new; mv .clock.new .clock; sleep 0.05; exit ${number % 3 === 0 ? 1 : 0}`,
        ],
        ...(number % 3 === 0 ? { on: { failure: { goto: `Jump${number + 1}` } } } : {}),
        ...(number % 2 === 0 ? { retries: { max: 1, delay_ms: 20 } } : {}),
      }));
      site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps }) });
      const ended = await clock.run(['run', 'work.yaml']);
      mustEnd(ended, 0, ['run', 'work.yaml']);
      must(!/-\d+(?:\.\d+)?\s?(?:ms|s|m|h|d)\b/.test(ended.stderr), () => ({
        expected: 'no negative time on the screen',
        found: ended.stderr,
      }));
      await mustKeepTime(site, clock);
    },
  };
}

/** Changes to and from daylight saving time. */
const ZONES = [
  { zone: 'America/New_York', at: '2027-03-14T06:59:59.000Z' },
  { zone: 'America/New_York', at: '2026-11-01T05:59:59.000Z' },
  { zone: 'Europe/Berlin', at: '2027-03-28T00:59:59.000Z' },
  { zone: 'Europe/Berlin', at: '2026-10-25T00:59:59.000Z' },
  { zone: 'Australia/Lord_Howe', at: '2027-04-03T14:59:59.000Z' },
  { zone: 'Pacific/Apia', at: '2011-12-30T09:59:59.000Z' },
] as const;

export function* zonePoints(): Generator<Point> {
  for (const { zone, at } of ZONES) {
    yield {
      id: `zone/${zone.replace('/', '-')}/${at.slice(0, 10)}`,
      async check(trial) {
        const site = createSite(trial);
        const clock = createClock(site, { TZ: zone });
        clock.set(Date.parse(at) - Date.now());
        const [, repeat] = PAUSES;
        site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps: repeat?.steps }) });
        mustEnd(await clock.run(['run', 'work.yaml', '--quiet']), 0, ['run', 'work.yaml']);
        const times = journalsOf(site).map((record) => Date.parse(record.at));
        must(
          times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0)),
          () => ({ expected: 'records in order of time', found: times.join(' ') }),
        );
        await mustKeepTime(site, clock);
        const listed = await clock.run(['clean', '--older-than', '1h', '--dry-run']);
        mustEnd(listed, 0, ['clean']);
        must(!listed.stdout.includes(site.runs()[0] ?? '-'), () => ({
          expected: 'a run of the last hour not to be old',
          found: listed.stdout,
        }));
      },
    };
  }
}

/** A clock that was never set, or is far in the future. */
export function farClock(year: number): Point {
  return {
    id: `far-clock/${year}`,
    async check(trial) {
      const site = createSite(trial);
      const clock: Clock = createClock(site);
      clock.set(Date.UTC(year, 0, 2) - Date.now());
      site.write({
        'work.yaml': JSON.stringify({ name: 'work', steps: [{ name: 'Say', command: ['echo', 'hello'] }] }),
      });
      mustEnd(await clock.run(['run', 'work.yaml', '--quiet']), 0, ['run', 'work.yaml']);
      mustEqual(site.runs()[0]?.slice(0, 4), String(year), 'the id of the run');
      await mustKeepTime(site, clock);
    },
  };
}
