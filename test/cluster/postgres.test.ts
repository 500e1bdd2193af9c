/** The PostgreSQL of the other tests in this folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseForFile, serverForFile } from '../rig/postgres/for-file.ts';
import { query } from '../rig/postgres/server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

describe('a database of a test file', () => {
  const database = databaseForFile();

  it('is empty, and shares nothing with another one', async () => {
    const other = await database.create();
    await query(database.url, 'create table here (id int)');
    expect(await query(database.url, 'select count(*)::int as rows from here')).toEqual([{ rows: 0 }]);
    await expect(query(other, 'select * from here')).rejects.toThrow('relation "here" does not exist');
  });
});

describe('a server of a test file', () => {
  const own = serverForFile();

  it('keeps its data and its address when it is stopped and started', async () => {
    await query(own.url, 'create table kept as select 7 as value');
    await own.server.stop();
    await expect(query(own.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
    await own.server.start();
    expect(await query(own.url, 'select value from kept')).toEqual([{ value: 7 }]);
  });

  it('keeps what was committed when it is killed', async () => {
    await query(own.url, 'create table committed as select 8 as value');
    await query(own.url, 'checkpoint');
    await own.server.stop('SIGKILL');
    await own.server.start();
    expect(await query(own.url, 'select value from committed')).toEqual([{ value: 8 }]);
  });

  it('ends when the test process is killed', async () => {
    const folder = temporaryFolder();
    // The server has another user.
    fs.chmodSync(folder, 0o711);
    const outfile = path.resolve(`node_modules/.cache/${path.basename(folder)}.mjs`);
    onTestFinished(() => fs.rmSync(outfile, { force: true }));
    await build({
      stdin: { contents: STARTS_A_SERVER, resolveDir: import.meta.dirname },
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' },
    });
    const env = { ...process.env, TMPDIR: folder };
    const tests = spawn(process.execPath, [outfile], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = (await once(tests.stdout, 'data')) as [Buffer];
    const url = printed.toString().trim();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    tests.kill('SIGKILL');
    const refused = () => query(url, 'select 1').catch(String);
    await expect.poll(refused, { timeout: 20_000 }).toContain('ECONNREFUSED');
  });
});

const STARTS_A_SERVER = `
  import { findPrograms } from '../rig/postgres/programs.ts';
  import { PostgresServer } from '../rig/postgres/server.ts';
  const server = await PostgresServer.create(await findPrograms());
  console.log(server.url());
  setInterval(() => {}, 1000);
`;
