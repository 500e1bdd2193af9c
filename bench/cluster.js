/**
 * Runs on several machines: steps in sequence and side by side, compared with a bare DBOS queue that starts the same commands; a new host taking over a
 * long run, compared with Node reading and parsing its rows; and the transactions and connections of a worker that has nothing to do, compared with a bare
 * DBOS process. A real PostgreSQL is started for it. The queues of all contestants are polled every 25 ms, and so are the results of the bare queue.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { importSource } from '../scripts/import-source.js';
import { longJournal, signed } from './journal.js';
import { interleaved, row } from './measure.js';
import { inFolder, ORCHESTRATE, ROOT, writeChain } from './workspace.js';

const POLL_MS = 25;
const SLOTS = 8;
/** A run is taken over in less than this. */
const LONGEST_TAKEOVER_S = 2;
/** How often workers without work poll: by default, and as many of them should. */
const IDLE_POLLS_MS = [1000, 5000];
const BARE = path.join(ROOT, 'bench', 'bare-queue.cjs');

export async function cluster({ quick, say }) {
  const { PostgresServer, findInstalled } = await importSource(
    `export { PostgresServer } from './test/rig/postgres/server.ts'; export { findInstalled } from './test/rig/postgres/installed.ts';`,
  );
  const programs = findInstalled();
  if (programs === undefined) {
    say('PostgreSQL is not installed: no rows for several machines');
    return [];
  }
  const server = await PostgresServer.create(programs);
  try {
    return [
      ...(await throughput(server, quick)),
      ...(await takeover(server, quick ? 2000 : 20_000)),
      ...(await idle(server, quick ? 5 : 30)),
    ];
  } finally {
    await server.remove();
  }
}

async function throughput(server, quick) {
  const [inSequence, sideBySide] = quick ? [20, 80] : [100, 400];
  return inFolder(async (folder) => {
    const team = await createTeam(server, folder);
    writeChain(path.join(folder, 'chain.yaml'), inSequence);
    fs.writeFileSync(path.join(folder, 'loop.yaml'), loopOf(sideBySide));
    const bare = await database(server, 'bare');
    const contest = (file, steps, atOnce) => ({
      local: () => team.run([file, '--no-engine']),
      'a bare queue': async () => Number(await output(bare, [BARE, String(steps), String(atOnce)])),
      workers: () => team.run([file, '--engine']),
    });
    const rows = [];
    for (const workers of [1, 2]) {
      await team.add();
      const many = workers === 1 ? 'one worker' : 'two workers';
      const rounds = quick ? 1 : 3;
      const chain = await interleaved(contest('chain.yaml', inSequence, 1), rounds);
      const loop = await interleaved(contest('loop.yaml', sideBySide, SLOTS), rounds);
      for (const [what, steps, times] of [
        [`${inSequence} steps in sequence`, inSequence, chain],
        [`${sideBySide} steps, ${SLOTS} at once,`, sideBySide, loop],
      ]) {
        const { workers: ours, local, 'a bare queue': bare } = times.medians();
        const speed = (ms) => `${((steps * 1000) / ms).toFixed(0)} a second`;
        const on = `${what} on ${many} (${speed(ours)})`;
        rows.push(
          row(`${on}, x a bare DBOS queue (${speed(bare)})`, times.ratio('workers', 'a bare queue'), 2),
          row(`${on}, x the local engine (${speed(local)})`, times.ratio('workers', 'local')),
        );
      }
    }
    await team.end();
    return rows;
  });
}

function loopOf(count) {
  return `name: loop
steps:
  - name: Each
    for_each:
      items: ${JSON.stringify(Array.from({ length: count }, (_, i) => i))}
      max_parallel: ${SLOTS}
      steps:
        - {name: One, command: ["true"]}
`;
}

/** From the first record of the newest run to its last. */
function workedMs(folder) {
  const runs = path.join(folder, '.orchestrate', 'runs');
  const newest = fs.readdirSync(runs).sort().at(-1);
  const lines = fs
    .readFileSync(path.join(runs, newest, 'journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1);
  const [first, last] = [lines[0], lines.at(-1)].map((line) => Date.parse(JSON.parse(line).at));
  return last - first;
}

/** From the moment that a worker has the run to its first record, compared with reading and parsing the rows once. */
async function takeover(server, steps) {
  return inFolder(async (folder) => {
    const team = await createTeam(server, folder);
    const { file, text } = await longJournal(folder, steps);
    const before = path.basename(path.dirname(file));
    fs.rmSync(path.join(folder, '.orchestrate', 'runs'), { recursive: true });
    const runId = (
      await output(team.url, [ORCHESTRATE, 'run', 'large.yaml', '--engine', '--detach', '--trust'], folder)
    ).trim();
    const lines = text.trimEnd().split('\n').slice(1);
    const own = lines.map((line, index) => signed(line.replaceAll(before, runId), index + 1).trimEnd());
    await query(
      team.url,
      `insert into orchestrate.events (run_id, seq, writer, line)
       select $1, seq, $2, line from unnest($3::integer[], $4::text[]) as sent (seq, line)`,
      [runId, randomUUID(), own.map((_, index) => index + 1), own],
    );
    const start = process.hrtime.bigint();
    const { rows } = await query(
      team.url,
      'select line from orchestrate.events where run_id = $1 order by seq',
      [runId],
    );
    for (const { line } of rows) JSON.parse(line);
    const parseMs = Number(process.hrtime.bigint() - start) / 1e6;
    const watch = new pg.Client({ connectionString: team.url });
    await watch.connect();
    const ended = untilRow(
      watch,
      `select from orchestrate.runs where run_id = '${runId}' and host is not null`,
    ).then(async () => {
      const taken = process.hrtime.bigint();
      await untilRow(
        watch,
        `select from orchestrate.events where run_id = '${runId}' and seq > ${own.length}`,
      );
      return Number(process.hrtime.bigint() - taken) / 1e6;
    });
    await team.add();
    const takenMs = await ended;
    await watch.end();
    await team.end();
    const what = `a new host takes over a run of ${steps} steps`;
    return [
      row(`${what}, in seconds`, takenMs / 1000, LONGEST_TAKEOVER_S),
      row(`${what}, x Node reading and parsing its rows`, takenMs / parseMs, 6),
    ];
  });
}

/** Transactions of a worker without work, compared with a DBOS process that listens to as many queues. */
async function idle(server, seconds) {
  const rows = [];
  for (const pollMs of IDLE_POLLS_MS) {
    const [ours, bare] = [
      await idleWorker(server, pollMs, seconds),
      await idleProcess(server, pollMs, seconds),
    ];
    const what = `transactions of an idle worker that polls every ${pollMs / 1000} s`;
    rows.push(
      row(
        `${what} (${ours.transactions.toFixed(1)} a second, ${ours.connections} connections), x a bare DBOS process`,
        ours.transactions / bare.transactions,
        2,
      ),
    );
  }
  return rows;
}

async function idleWorker(server, pollMs, seconds) {
  return inFolder(async (folder) => {
    const team = await createTeam(server, folder, { pollMs });
    await team.add();
    const used = await usedWhileIdle(team.url, seconds);
    await team.end();
    return used;
  });
}

async function idleProcess(server, pollMs, seconds) {
  const url = await database(server, 'idle');
  const bare = spawn(process.execPath, [BARE, 'idle', String(pollMs)], {
    env: { ...process.env, ORCHESTRATE_DATABASE_URL: url },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(bare.stdout, 'data');
  const used = await usedWhileIdle(url, seconds);
  bare.stdin.end();
  await once(bare, 'exit');
  return used;
}

/** DBOS polls more often in its first minute, and the driver closes connections that had nothing to do for ten seconds. */
const SETTLES_AFTER_MS = 75_000;

async function usedWhileIdle(url, seconds) {
  await pause(seconds < 30 ? 2000 : SETTLES_AFTER_MS);
  const transactions = await perSecond(url, seconds);
  const { rows } = await query(
    url,
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  return { transactions, connections: rows[0].count };
}

async function perSecond(url, seconds) {
  const count = async () => {
    // Figures of a session are published when it ends or has been idle.
    const { rows } = await query(
      url,
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
    );
    return Number(rows[0].count);
  };
  const before = await count();
  await pause(seconds * 1000);
  return ((await count()) - before) / seconds;
}

async function createTeam(server, folder, { pollMs = POLL_MS } = {}) {
  const url = await database(server, 'team');
  fs.mkdirSync(path.join(folder, '.orchestrate'), { recursive: true });
  fs.writeFileSync(
    path.join(folder, '.orchestrate', 'engine.yaml'),
    `poll_ms: ${pollMs}\nlabels:\n  default: {per_worker: ${SLOTS}}\n`,
  );
  const workers = [];
  const env = { ...process.env, HOME: folder, ORCHESTRATE_DATABASE_URL: url };
  return {
    url,
    add: async () => {
      const name = `w${workers.length + 1}`;
      workers.push(
        spawn(process.execPath, [ORCHESTRATE, 'worker', '--trust', '--name', name, '--drain', '1'], {
          ...{ cwd: folder, env },
          stdio: 'ignore',
        }),
      );
      const watch = new pg.Client({ connectionString: url });
      await watch.connect();
      await untilRow(watch, `select from orchestrate.workers where name = '${name}' and dead_at is null`);
      await watch.end();
    },
    /** Returns how long it worked. */
    run: async (words) => {
      const child = spawn(process.execPath, [ORCHESTRATE, 'run', ...words, '--quiet'], {
        ...{ cwd: folder, env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let problem = '';
      child.stderr.on('data', (chunk) => {
        problem += chunk;
      });
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`run ${words.join(' ')} ended with exit code ${code}: ${problem}`);
      return workedMs(folder);
    },
    end: async () => {
      for (const worker of workers) {
        worker.kill('SIGTERM');
        await once(worker, 'exit');
      }
    },
  };
}

async function database(server, name) {
  const unique = `${name}_${randomUUID().replaceAll('-', '')}`;
  await query(server.url(), `create database ${unique}`);
  return server.url(unique);
}

async function output(url, argv, cwd) {
  const child = spawn(process.execPath, argv, {
    cwd,
    env: { ...process.env, ...(cwd === undefined ? {} : { HOME: cwd }), ORCHESTRATE_DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with exit code ${code}`);
  return text;
}

async function query(url, statement, values = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement, values);
  } finally {
    await client.end();
  }
}

/** The tables may not exist yet. */
async function untilRow(client, statement) {
  for (;;) {
    const { rows } = await client.query(statement).catch(() => ({ rows: [] }));
    if (rows.length > 0) return;
    await pause(5);
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
