/** PostgreSQL for the tests of a file: a database of its own, on the server of `ORCHESTRATE_TEST_DATABASE_URL` or on the one of this run of tests. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { serverOfRun } from './for-run.ts';
import { findPrograms } from './programs.ts';
import { PostgresServer, query } from './server.ts';

export interface FileDatabase {
  /** The address of a new, empty database. */
  readonly url: string;
  /** The address of another new database, dropped with the first. */
  create(): Promise<string>;
}

export interface FileServer extends FileDatabase {
  readonly server: PostgresServer;
}

/** Call it at the top of a test file. */
export function databaseForFile(): FileDatabase {
  const names: string[] = [];
  let server = process.env['ORCHESTRATE_TEST_DATABASE_URL'] ?? '';
  let url = '';
  const create = async (): Promise<string> => {
    const name = newName();
    await query(server, `create database ${name}`);
    names.push(name);
    const address = new URL(server);
    address.pathname = `/${name}`;
    return address.href;
  };
  beforeAll(async () => {
    if (server === '') server = await serverOfRun();
    url = await create();
  });
  afterAll(async () => {
    for (const name of names) await query(server, `drop database if exists ${name} with (force)`);
  });
  return {
    get url() {
      return url;
    },
    create,
  };
}

/** A server of the file's own, which tests may stop, kill and start. */
export function serverForFile(): FileServer {
  let server: PostgresServer | undefined;
  let url = '';
  const running = (): PostgresServer => {
    if (server === undefined) throw new Error('PostgreSQL is started before the first test of a file');
    return server;
  };
  const create = async (): Promise<string> => {
    const name = newName();
    await query(running().url(), `create database ${name}`);
    return running().url(name);
  };
  beforeAll(async () => {
    server = await PostgresServer.create(await findPrograms());
    url = await create();
  });
  afterAll(() => server?.remove());
  return {
    get url() {
      return url;
    },
    get server() {
      return running();
    },
    create,
  };
}

function newName(): string {
  return `orchestrate_test_${randomBytes(6).toString('hex')}`;
}
