/** A secret that one worker alone knows: the host, the starter, the database and the hub never see it. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HttpTarget, startHttpTarget } from '../notify/http-target.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { query } from '../rig/postgres/server.ts';
import { GitTeam } from './git-team.ts';
import { Team } from './team.ts';

const database = databaseForFile();

/** Nothing about its name or its form gives it away: it is masked because a step declares it. */
const NAME = 'LAUNCH_PHRASE';
const VALUE = 'quiet otters count 7391 pears';
const BASE64 = Buffer.from(VALUE).toString('base64');
const HEX = Buffer.from(VALUE).toString('hex');

const TELLS = `name: tells
steps:
  - name: Tell
    worker: vault
    secrets: [${NAME}]
    command:
      - sh
      - -c
      - |
        echo "out $${NAME}"
        echo "err $${NAME}" >&2
        printf %s "$${NAME}" | base64
        printf %s "$${NAME}" | od -An -v -tx1 | tr -d ' \\n'
  - name: Lines
    worker: vault
    secrets: [${NAME}]
    command: [sh, -c, 'echo first; echo "$${NAME}"']
    output_capture: lines
  - name: Uses
    command: [echo, "\${steps.Tell.output}"]
`;

const FAILS = `name: fails
steps:
  - name: Checked
    worker: vault
    secrets: [${NAME}]
    command: [echo, "checked"]
    expect: {command: [sh, -c, 'echo "proof $${NAME}"; echo "proof $${NAME}" >&2; exit 1']}
    on: {failure: {goto: Json}}
  - name: Json
    worker: vault
    secrets: [${NAME}]
    command: [sh, -c, 'echo "{ $${NAME}"']
    output_capture: json
    on: {failure: {goto: Break}}
  - name: Break
    worker: vault
    secrets: [${NAME}]
    command: [sh, -c, 'echo "cannot use $${NAME}" >&2; printf %s "$${NAME}" | base64 >&2; exit 7']
`;

const FILES = { 'tells.yaml': TELLS, 'fails.yaml': FAILS };

function config(target: HttpTarget): { readonly [path: string]: string } {
  return {
    '.config/orchestrate/config.yaml': `notify: { url: "${target.url}", format: json, events: [all] }\n`,
  };
}

/** Every row of every table, as text. */
async function rowsOf(url: string): Promise<string> {
  const tables = await query(
    url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('orchestrate', 'dbos')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await query(url, `select each::text as row from ${String(name)} each`);
    texts.push(String(name), ...rows.map(({ row }) => String(row)));
  }
  return texts.join('\n');
}

function filesBelow(folder: string): string {
  const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

function expectMasked(text: string, where: string): void {
  for (const form of [VALUE, BASE64, HEX]) expect(text.includes(form), `${form} in ${where}`).toBe(false);
}

describe('a secret that one worker alone knows', () => {
  it('is in no row, no file of the run, no notification and on no terminal', async () => {
    const target = await startHttpTarget();
    const machines = new Team(await database.create(), { ...FILES, ...config(target) });
    const host = await machines.worker('host');
    const vault = await machines.worker('vault', '--no-runs', '--labels', 'vault', {
      env: { [NAME]: VALUE },
    });
    const told = await machines.run('run', 'tells.yaml', '--engine', '--verbose');
    expect(told.exitCode, told.stderr).toBe(0);
    const failed = await machines.run('run', 'fails.yaml', '--engine', '--verbose');
    expect(failed.exitCode, failed.stderr).toBe(1);
    const rows = await rowsOf(machines.url);
    const files = filesBelow(path.join(machines.workspace.folder, '.orchestrate', 'runs'));
    const sent = JSON.stringify(target.received);
    // What they say is there, with stars in the place of the value.
    for (const line of ['out ***', 'proof ***', 'cannot use ***']) expect(rows).toContain(line);
    for (const line of ['out ***', 'err ***', 'cannot use ***']) expect(files).toContain(line);
    expect(rows).toContain('dbos.workflow_status');
    expect(sent).toContain('fails');
    expectMasked(rows, 'a row');
    expectMasked(files, 'a file of the run');
    expectMasked(sent, 'a notification');
    for (const { stdout, stderr } of [told, failed]) expectMasked(stdout + stderr, 'the output of `run`');
    expectMasked(host.stderr() + vault.stderr(), 'the output of a worker');
  }, 60_000);

  it('is in no object of the hub either', async () => {
    const machines = new GitTeam(await database.create(), FILES);
    await machines.worker('host');
    const on = machines.machine({ [NAME]: VALUE });
    await machines.worker('vault', { flags: ['--no-runs', '--labels', 'vault'], on });
    const told = await machines.run('run', 'tells.yaml', '--engine', '--trust');
    expect(told.exitCode, told.stderr).toBe(0);
    const failed = await machines.run('run', 'fails.yaml', '--engine', '--trust');
    expect(failed.exitCode, failed.stderr).toBe(1);
    const rows = await rowsOf(machines.url);
    const objects = execFileSync(
      'git',
      ['-C', machines.hub, 'cat-file', '--batch-all-objects', '--batch', '--unordered'],
      { encoding: 'latin1', maxBuffer: 64 * 1024 * 1024 },
    );
    for (const line of ['err ***', 'cannot use ***']) expect(objects).toContain(line);
    expectMasked(objects, 'an object of the hub');
    expectMasked(machines.refs().join('\n'), 'the name of a ref');
    expectMasked(rows, 'a row');
    for (const { stdout, stderr } of [told, failed]) expectMasked(stdout + stderr, 'the output of `run`');
  }, 60_000);
});
