/** The network between workers and the database is cut without a word: connections stay open, and nothing arrives. */
import { spawnSync } from 'node:child_process';
import { findInstalled } from '../../test/rig/postgres/installed.ts';
import { PostgresServer } from '../../test/rig/postgres/server.ts';
import { crowding } from '../crowding.ts';
import { must, mustEqual } from '../must.ts';
import type { Point, Trial } from '../suite.ts';
import { createNetworks, type Networks } from './namespaces.ts';
import { pause, Team, type TeamWorker } from './team.ts';
import { mustBeDoneOnce, mustStartAgainOnlyAfter, mustStartOnce, type Work, workFile } from './work.ts';

/** All items run when the network is cut. */
const WORK: Work = { items: 4, atOnce: 4, seconds: 8 };
const LONGEST_UNTIL_RECORDED_MS = 60_000;

/** Who is disconnected: every worker, the one that hosts the run, or one that carries out steps. */
const WHO = ['all', 'host', 'calls'] as const;
type Who = (typeof WHO)[number];

export function* networkPoints(lengths: readonly number[]): Generator<Point> {
  for (const seconds of lengths)
    for (const who of WHO)
      yield { id: `network/${who}/${seconds}s`, check: (trial) => cutting(trial, { who, seconds }) };
}

async function cutting(
  trial: Trial,
  { who, seconds }: { readonly who: Who; readonly seconds: number },
): Promise<void> {
  const programs = findInstalled();
  if (programs === undefined) return trial.skip('PostgreSQL is not installed');
  if (process.getuid?.() !== 0 || spawnSync('ip', ['netns', 'list']).status !== 0)
    return trial.skip('network namespaces need root and `ip`');
  const networks = createNetworks(3);
  try {
    const server = await PostgresServer.create(programs, networks.ofDatabase);
    try {
      await tryOn(trial, { server, networks, who, seconds });
    } finally {
      await server.remove();
    }
  } finally {
    networks.remove();
  }
}

async function tryOn(
  trial: Trial,
  {
    server,
    networks,
    who,
    seconds,
  }: {
    readonly server: PostgresServer;
    readonly networks: Networks;
    readonly who: Who;
    readonly seconds: number;
  },
): Promise<void> {
  const files = { 'work.yaml': workFile(WORK) };
  const team = new Team(trial, { url: server.url(), files, mostDeadAfterSec: seconds / 3 });
  const workers: TeamWorker[] = [];
  for (const [index, does] of (['hosts', 'calls', 'all'] as const).entries()) {
    const { file, database } = networks.ofWorker(index);
    workers.push(await team.worker(does, { via: ['nsenter', `--net=${file}`], url: server.urlAt(database) }));
  }
  const runId = await team.begin('work.yaml');
  await team.until('all items', async () => team.started.length === WORK.items);
  team.mustLive(workers);
  const host = await team.hostOf(runId);
  const cut = workers.filter(
    ({ name, isHost }) => who === 'all' || (who === 'host' ? name === host : !isHost),
  );
  for (const worker of cut) networks.disconnect(workers.indexOf(worker));
  await pause(seconds * 1000);
  for (const worker of cut) networks.reconnect(workers.indexOf(worker));
  const backAt = performance.now();
  await mustBeDoneOnce(team, runId, WORK);
  const tookMs = Math.round(performance.now() - backAt);
  trial.took('until the run had ended after the network was back', tookMs);
  trial.count(`workers disconnected for ${seconds} s`, cut.length);
  if (who === 'all') {
    team.mustLive(workers);
    mustStartOnce(team);
    mustEqual(await team.count('orchestrate.workers where dead_at is not null'), 0, 'workers given up');
    must(tookMs < LONGEST_UNTIL_RECORDED_MS * crowding(), () => ({
      expected: `an end within ${LONGEST_UNTIL_RECORDED_MS / 1000} s after the network is back`,
      found: `${tookMs} ms`,
    }));
    return;
  }
  // Others have taken its work over: it learns that when it is back.
  mustStartAgainOnlyAfter(team, new Set(cut.map(({ name }) => name)));
  for (const worker of cut) {
    const ended = await worker.ended;
    must(ended.exitCode === 1, () => ({
      expected: 'exit code 1 of a worker that was given up',
      found: `${ended.signal ?? ended.exitCode}: ${ended.stderr}`,
    }));
    await team.mustBeGone(worker.name);
  }
}
