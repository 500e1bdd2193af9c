/** A worker with a hub that is stopped while the hub is out of reach. */
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { GitTeam } from './git-team.ts';

const database = databaseForFile();

it('a step that ends while its worker is stopped and the hub is busy is saved when the hub answers', async () => {
  const outside = temporaryFolder();
  const machines = new GitTeam(database.url, {
    'held.yaml': `name: held
steps:
  - name: Held
    command: [sh, -c, 'touch ${outside}/begun; while [ ! -e ${outside}/go ]; do sleep 0.05; done; echo done > held.txt']
`,
  });
  const refuse = `#!/bin/sh\n[ -e ${outside}/busy ] || exit 0\necho x >> ${outside}/refused\necho 'cannot lock ref' >&2\nexit 1\n`;
  fs.writeFileSync(join(machines.hub, 'hooks/pre-receive'), refuse, { mode: 0o755 });
  await machines.worker('host', { flags: ['--labels', 'other'] });
  const one = await machines.worker('one', { flags: ['--no-runs'] });
  const runId = await machines.detached('held.yaml');
  await until(() => fs.existsSync(`${outside}/begun`));
  fs.writeFileSync(`${outside}/busy`, '');
  one.child.kill('SIGTERM');
  await until(() => one.stderr().includes('Received SIGTERM'));
  fs.writeFileSync(`${outside}/go`, '');
  await until(() => fs.existsSync(`${outside}/refused`));
  fs.rmSync(`${outside}/busy`);
  expect(await one.ended).toMatchObject({ exitCode: 0 });
  expect(await machines.ended(runId)).toBe('completed');
  expect(machines.file(runId, 'held.txt')).toBe('done\n');
}, 90_000);
