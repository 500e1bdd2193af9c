/**
 * Runs on several machines: steps in sequence and side by side, compared with a bare DBOS queue that starts the same commands; a new host taking over a
 * long run, compared with Node reading and parsing its rows; and the transactions of a worker that has nothing to do, compared with a bare DBOS process.
 * A real PostgreSQL is started for it. The queues of all contestants are polled every 25 ms.
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
      await takeover(server, quick ? 2000 : 20_000),
      await idle(server, quick ? 5 : 20),
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
      for (const [what, times] of [
        [`${inSequence} steps in sequence`, chain],
        [`${sideBySide} steps, ${SLOTS} at once,`, loop],
      ]) {
        rows.push(row(`${what} on ${many}, x a bare DBOS queue`, times.ratio('workers', 'a bare queue'), 2));
        rows.push(row(`${what} on ${many}, x the local engine`, times.ratio('workers', 'local')));
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
    return row(
      `a host takes over a run of ${steps} steps, x Node reading and parsing its rows (${Math.round(takenMs)} ms)`,
      takenMs / parseMs,
      6,
    );
  });
}

/** Transactions of a worker without work, with the default polling of a second, compared with a DBOS process that listens to as many queues. */
async function idle(server, seconds) {
  return inFolder(async (folder) => {
    const team = await createTeam(server, folder, { pollMs: 1000 });
    await team.add();
    const ours = await perSecond(team.url, seconds);
    await team.end();
    const url = await database(server, 'idle');
    const bare = spawn(process.execPath, [BARE, 'idle'], {
      env: { ...process.env, ORCHESTRATE_DATABASE_URL: url },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(bare.stdout, 'data');
    const theirs = await perSecond(url, seconds);
    bare.stdin.end();
    await once(bare, 'exit');
    return row(
      `transactions of an idle worker (${ours.toFixed(1)} a second), x a bare DBOS process`,
      ours / theirs,
      2,
    );
  });
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
  await pause(2000);
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
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`run ${words.join(' ')} ended with exit code ${code}`);
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
