/**
 * The tables of the engine, in the schema `orchestrate`. Times are the database's own: only `now()` is compared with them.
 *
 *   runs      one row a run: what to carry out, and who does; `files`: how it reaches its files, if not in a folder that all share;
 *             `watched`: what a command shows while it happens: what its steps do, or also what they print;
 *             `resumption`: how a person has asked for it to be resumed, until that turn has ended; `problem`: why its last turn failed
 *             `claim`: what one unfinished run at a time may use
 *   events    the journal: each row is a line of `journal.jsonl`; the key is the fence between two owners
 *   answers   what people answered; the first answer to a question counts
 *   requests  what people ask of a run: to cancel it
 *   calls     one row an effect that runs on a worker: its input, who runs it, its output; `holder`: the name of the worker that has what it
 *             continues; `leaves`: what it has left on its worker (`affinity.ts`); `given_back`: how many of its starts ended because their worker was
 *             stopped
 *   workers   one row a worker process, with its last heartbeat
 *   created   one row for each version of these tables that was created
 *
 * A run is `queued` until a worker takes its turn, `live` while one has it, then `waiting` for an answer or `ended`.
 */
import { sha256 } from '../../model/sha256.ts';
import { type Pool, throughOutages } from './database.ts';

const STATEMENTS: readonly string[] = [
  'create schema if not exists orchestrate',
  `create table if not exists orchestrate.runs (
    run_id text primary key,
    workspace text not null,
    plan text not null,
    files text,
    claim text,
    watched text check (watched in ('steps', 'output')),
    version text not null,
    state text not null check (state in ('queued', 'live', 'waiting', 'ended')),
    status text,
    turn integer not null,
    resumption text,
    problem text,
    host text,
    created_at timestamptz not null default now(),
    changed_at timestamptz not null default now()
  )`,
  'alter table orchestrate.runs add column if not exists files text',
  'alter table orchestrate.runs add column if not exists claim text',
  `alter table orchestrate.runs add column if not exists watched text check (watched in ('steps', 'output'))`,
  `create table if not exists orchestrate.events (
    run_id text not null references orchestrate.runs on delete cascade,
    seq integer not null,
    writer uuid not null,
    line text not null,
    primary key (run_id, seq)
  )`,
  `create table if not exists orchestrate.answers (
    run_id text not null references orchestrate.runs on delete cascade,
    key text not null,
    given text not null,
    at timestamptz not null default now(),
    primary key (run_id, key)
  )`,
  `create table if not exists orchestrate.requests (
    run_id text not null references orchestrate.runs on delete cascade,
    type text not null check (type in ('cancel')),
    at timestamptz not null default now(),
    primary key (run_id, type)
  )`,
  `create table if not exists orchestrate.calls (
    call_id text primary key,
    run_id text not null references orchestrate.runs on delete cascade,
    key text not null,
    attempt integer not null,
    label text not null,
    effect text not null,
    request text not null,
    holder text,
    leaves text,
    executor text,
    starts integer not null default 0,
    given_back integer not null default 0,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    cancelled_at timestamptz,
    ended_at timestamptz,
    output text
  )`,
  'alter table orchestrate.calls add column if not exists holder text, add column if not exists leaves text',
  'alter table orchestrate.calls add column if not exists given_back integer not null default 0',
  'create index if not exists calls_that_leave on orchestrate.calls (leaves) where leaves is not null',
  'create index if not exists calls_of_run on orchestrate.calls (run_id)',
  'create index if not exists calls_of_executor on orchestrate.calls (executor) where ended_at is null',
  `create table if not exists orchestrate.workers (
    executor text primary key,
    name text not null,
    machine text not null,
    pid integer not null,
    version text not null,
    labels text[] not null,
    takes_runs boolean not null,
    files_by text not null default 'folder',
    is_draining boolean not null default false,
    started_at timestamptz not null default now(),
    beat_at timestamptz not null default now(),
    dead_at timestamptz
  )`,
  `alter table orchestrate.workers add column if not exists files_by text not null default 'folder'`,
  'create unique index if not exists living_names on orchestrate.workers (name) where dead_at is null',
];

const VERSION = sha256(STATEMENTS.join(';'));

/**
 * Only one process at a time may do it. Nothing is locked if these tables were created before, since work is done in them. Each statement is a transaction of
 * its own: together they would keep locks that running work waits for, and wait for the work.
 */
export async function createTables(pool: Pool): Promise<void> {
  if (await areCreated(pool)) return;
  for (const statement of STATEMENTS) await throughOutages(() => pool.query(statement));
  await pool.query('create table if not exists orchestrate.created (version text primary key)');
  await pool.query('insert into orchestrate.created (version) values ($1) on conflict do nothing', [VERSION]);
}

async function areCreated(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ readonly is_known: boolean }>(
    `select to_regclass('orchestrate.created') is not null as is_known`,
  );
  if (rows[0]?.is_known !== true) return false;
  const found = await pool.query('select from orchestrate.created where version = $1', [VERSION]);
  return found.rows.length > 0;
}
