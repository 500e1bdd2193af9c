/** A usage limit that ends in three days. */
import { must, mustEqual } from '../must.ts';
import type { Started } from '../program.ts';
import type { JournalRecord } from '../site/journal.ts';
import { type ProgramCase, programCase, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd, type Site, until } from '../site/site.ts';
import type { Point, Trial } from '../suite.ts';
import { type Clock, createClock, DAY, HOUR, SECOND } from './clock.ts';
import { journalsOf, mustKeepTime } from './judge.ts';

/** Only the first call hits the limit. */
function limitedAgent(resetsAt: number): string {
  const info = { status: 'rejected', resetsAt: Math.floor(resetsAt / 1000), rateLimitType: 'seven_day' };
  const event = { type: 'rate_limit_event', rate_limit_info: info };
  const result = {
    ...{ type: 'result', subtype: 'success', is_error: true, api_error_status: 429, num_turns: 1 },
    ...{
      result: 'the limit is reached',
      session_id: '00000000-0000-4000-8000-000000000001',
      total_cost_usd: 0,
    },
  };
  return `echo call >> "$HOME/calls"
begin
if [ "$(wc -l < "$HOME/calls")" = 1 ]; then
  printf '%s\\n' '${JSON.stringify(event)}' '${JSON.stringify(result)}'
  exit 1
fi
finish`;
}

interface Waiting {
  readonly site: Site;
  readonly clock: Clock;
  readonly program: ProgramCase;
  readonly started: Started;
}

async function waiting(trial: Trial, name: ProgramCase['name']): Promise<Waiting> {
  const program = programCase(name);
  const site = createSite(trial);
  const clock = createClock(site);
  await program.prepare(site);
  writeAgent(site, program, limitedAgent(Date.now() + 3 * DAY));
  const started = clock.start(program.start);
  await until(trial, 'the wait to start', () => site.runs().length > 0 && waits(site).length === 1);
  return { site, clock, program, started };
}

function waits(site: Site): readonly JournalRecord[] {
  try {
    return journalsOf(site).filter(({ type }) => type === 'attempt-ended');
  } catch {
    // The last record is still being written.
    return [];
  }
}

/** The run was stopped or killed while waiting; the clock has moved when it is resumed. */
export function limitOverRestarts(name: ProgramCase['name'], how: NodeJS.Signals): Point {
  return {
    id: `limit/${name}/${how}`,
    async check(trial) {
      const { site, clock, program, started } = await waiting(trial, name);
      mustEqual(waits(site)[0]?.['counted'], false, 'whether the limit counts as an attempt');
      process.kill(started.pid, how);
      await started.ended;
      // An hour too early, and two days back: it keeps waiting.
      for (const offset of [3 * DAY - HOUR, -2 * DAY]) {
        clock.set(offset);
        const resumed = clock.start(program.resume);
        const before = resumptions(site);
        await until(trial, 'it to resume', () => resumptions(site) > before);
        await new Promise((resolve) => setTimeout(resolve, 400));
        mustEqual(site.lines('calls').length, 1, `calls of the agent ${offset / HOUR} hours from then`);
        process.kill(resumed.pid, 'SIGTERM');
        mustEnd(await resumed.ended, 143, program.resume);
        await mustKeepTime(site, clock);
      }
      clock.set(3 * DAY + 60 * SECOND);
      mustEnd(await clock.run(program.resume), 0, program.resume);
      await mustBeDone(site, clock);
    },
  };
}

function resumptions(site: Site): number {
  try {
    return journalsOf(site).filter(({ type }) => type === 'run-resumed').length;
  } catch {
    return 0;
  }
}

/** The clock moves during the wait: the machine was suspended, or the clock was set. */
export function limitDuringWait(name: ProgramCase['name']): Point {
  return {
    id: `limit-during/${name}`,
    async check(trial) {
      const { site, clock, program, started } = await waiting(trial, name);
      clock.set(-DAY);
      await new Promise((resolve) => setTimeout(resolve, 300));
      clock.set(3 * DAY + 60 * SECOND);
      mustEnd(await started.ended, 0, program.start);
      await mustBeDone(site, clock);
    },
  };
}

async function mustBeDone(site: Site, clock: Clock): Promise<void> {
  mustEqual(site.lines('calls').length, 2, 'calls of the agent');
  const ended = journalsOf(site).filter(
    ({ type, effect }) => type === 'step-ended' && effect === 'run-agent',
  );
  must(ended.length > 0 && ended.every(({ attempts }) => attempts === 1), () => ({
    expected: 'one counted attempt',
    found: JSON.stringify(ended.map(({ key, attempts }) => [key, attempts])),
  }));
  await mustKeepTime(site, clock);
}
