/** PostgreSQL of this suite: one server for all points that leave it alone, which each get a database of their own. */
import { randomBytes } from 'node:crypto';
import { findInstalled } from '../../test/rig/postgres/installed.ts';
import { PostgresServer, query } from '../../test/rig/postgres/server.ts';
import type { Trial } from '../suite.ts';

let shared: Promise<PostgresServer> | undefined;
let users = 0;

/** The server is removed with its last user. */
export async function withDatabase(trial: Trial, work: (url: string) => Promise<void>): Promise<void> {
  users += 1;
  try {
    shared ??= startServer(trial);
    const server = await shared;
    const name = `proof_${randomBytes(6).toString('hex')}`;
    await query(server.url(), `create database ${name}`);
    try {
      await work(server.url(name));
    } finally {
      await query(server.url(), `drop database if exists ${name} with (force)`);
    }
  } finally {
    users -= 1;
    if (users === 0) {
      const last = shared;
      shared = undefined;
      await (await last?.catch(() => undefined))?.remove();
    }
  }
}

/** A server that the point may stop. */
export async function withServer(
  trial: Trial,
  work: (server: PostgresServer) => Promise<void>,
): Promise<void> {
  const server = await startServer(trial);
  try {
    await work(server);
  } finally {
    await server.remove();
  }
}

async function startServer(trial: Trial): Promise<PostgresServer> {
  const programs = findInstalled();
  if (programs === undefined) return trial.skip('PostgreSQL is not installed');
  return PostgresServer.create(programs);
}
