/** The clocks of the machines differ by minutes, and jump: nobody is given up, and no duration is negative. */
import path from 'node:path';
import { must, mustEqual } from '../must.ts';
import type { Point, Trial } from '../suite.ts';
import { withDatabase } from './database.ts';
import { Team, type WorkerPlace } from './team.ts';
import { mustBeDoneOnce, mustStartOnce, type Work, workFile } from './work.ts';

const WORK: Work = { items: 12, atOnce: 4, seconds: 0.8 };
const TEN_MINUTES = 600_000;

export function* clockPoints(): Generator<Point> {
  for (const [name, offsets] of [
    ['apart', [-TEN_MINUTES, TEN_MINUTES]],
    ['jumping', [TEN_MINUTES, -TEN_MINUTES]],
  ] as const)
    yield { id: `clocks/${name}`, check: (trial) => withDatabase(trial, differing(trial, name, offsets)) };
}

function differing(
  trial: Trial,
  name: 'apart' | 'jumping',
  offsets: readonly number[],
): (url: string) => Promise<void> {
  return async (url) => {
    const team = new Team(trial, { url, files: { 'work.yaml': workFile(WORK) } });
    const place = (index: number): WorkerPlace => {
      const file = `clock-${index}`;
      team.site.write({ [file]: String(offsets[index]) });
      const rig = path.join(trial.root, 'proof', 'rig', 'clock.cjs');
      return {
        env: { NODE_OPTIONS: `--require ${rig}`, CLOCK: JSON.stringify({ file: team.site.path(file) }) },
      };
    };
    const workers = [];
    for (const index of offsets.keys()) workers.push(await team.worker('all', place(index)));
    const runId = await team.begin('work.yaml');
    await team.until('half of the items', async () => team.started.length >= WORK.items / 2);
    if (name === 'jumping')
      for (const [index, offset] of offsets.entries())
        team.site.write({ [`clock-${index}`]: String(-offset) });
    await mustBeDoneOnce(team, runId, WORK);
    team.mustLive(workers);
    mustStartOnce(team);
    await mustBeWrong(team, runId);
    mustEqual(await team.count('orchestrate.workers where dead_at is not null'), 0, 'workers given up');
    const negative = durationsIn(JSON.parse((await team.site.ok(['show', runId, '--json'])).stdout)).filter(
      ([, ms]) => ms < 0,
    );
    must(negative.length === 0, () => ({
      expected: 'no negative duration',
      found: JSON.stringify(negative),
    }));
    trial.count('workers whose clock is wrong by ten minutes', offsets.length);
  };
}

/** The clocks really differ from that of the database. */
async function mustBeWrong(team: Team, runId: string): Promise<void> {
  const wrong = await team.count(
    `orchestrate.events where run_id = '${runId}' and abs(extract(epoch from (line::json->>'at')::timestamptz - now())) > 500`,
  );
  must(wrong > 0, () => ({ expected: 'records of a wrong clock', found: 'none' }));
}

/** Every number whose name says that it is a duration, with its path. */
function durationsIn(value: unknown, where = ''): readonly (readonly [string, number])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'number' && /(?:_ms|Ms)$/.test(name)
      ? [[`${where}/${name}`, member] as const]
      : durationsIn(member, `${where}/${name}`),
  );
}
