/** `clean` of a run whose files are in a hub. */
import { execSync } from 'node:child_process';
import fs from 'node:fs';
import { expect, it } from 'vitest';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { GitTeam } from './git-team.ts';

const database = databaseForFile();

it('says how to remove the files of a run if the hub could not be reached', async () => {
  const machines = new GitTeam(database.url, {
    'short.yaml': 'name: short\nsteps:\n  - {name: Write, command: [touch, a.txt]}\n',
  });
  await machines.worker('one');
  const runId = await machines.detached('short.yaml');
  expect(await machines.ended(runId)).toBe('completed');
  fs.renameSync(machines.hub, `${machines.hub}.away`);
  const cleaned = await machines.run('clean', '--older-than', '0m', '--force');
  expect(cleaned.exitCode).toBe(1);
  expect(cleaned.stderr).not.toContain('was kept');
  expect(cleaned.stderr).toContain(`error: run \`${runId}\` is removed, but the hub still has its files: `);
  const [, advised = ''] = /remove them in the hub: (.*)$/m.exec(cleaned.stderr) ?? [];
  fs.renameSync(`${machines.hub}.away`, machines.hub);
  expect(machines.refs()).not.toEqual([]);
  execSync(advised, { cwd: machines.hub });
  expect(machines.refs()).toEqual([]);
}, 60_000);
