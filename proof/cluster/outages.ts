/** The database goes away while steps run, cleanly or by a kill, for longer than the dead-time. */
import { crowding } from '../crowding.ts';
import { must, mustEqual } from '../must.ts';
import type { Point, Trial } from '../suite.ts';
import { withServer } from './database.ts';
import { pause, Team } from './team.ts';
import { mustBeDoneOnce, mustStartOnce, type Work, workFile } from './work.ts';

/** All items run when the database goes away, and most end before it is back. */
const WORK: Work = { items: 4, atOnce: 4, seconds: 8 };
/** Until results are recorded after the database is back. */
const LONGEST_UNTIL_RECORDED_MS = 60_000;

type End = 'stopped' | 'killed';

export function* outagePoints(lengths: readonly number[]): Generator<Point> {
  for (const seconds of lengths)
    for (const end of ['stopped', 'killed'] as const)
      yield {
        id: `outages/${end}/${seconds}s`,
        check: (trial) => withServer(trial, (server) => outage(trial, { server, seconds, end })),
      };
}

async function outage(
  trial: Trial,
  {
    server,
    seconds,
    end,
  }: {
    readonly server: Parameters<Parameters<typeof withServer>[1]>[0];
    readonly seconds: number;
    readonly end: End;
  },
): Promise<void> {
  const files = { 'work.yaml': workFile(WORK) };
  const team = new Team(trial, { url: server.url(), files, mostDeadAfterSec: seconds / 3 });
  const workers = [await team.worker(), await team.worker()];
  const runId = await team.begin('work.yaml');
  await team.until('all items', async () => team.started.length === WORK.items);
  team.mustLive(workers);
  await server.stop(end === 'stopped' ? 'SIGINT' : 'SIGKILL');
  await pause(seconds * 1000);
  await server.start();
  const backAt = performance.now();
  await mustBeDoneOnce(team, runId, WORK);
  team.mustLive(workers);
  mustStartOnce(team);
  const tookMs = Math.round(performance.now() - backAt);
  trial.took('until the run had ended after the database was back', tookMs);
  must(tookMs < LONGEST_UNTIL_RECORDED_MS * crowding(), () => ({
    expected: `an end within ${LONGEST_UNTIL_RECORDED_MS / 1000} s after the database is back`,
    found: `${tookMs} ms`,
  }));
  mustEqual(await team.count('orchestrate.workers where dead_at is not null'), 0, 'workers given up');
  mustEqual(await team.count(`orchestrate.workers`), workers.length, 'workers');
  trial.count(`databases ${end} while steps ran`);
}
