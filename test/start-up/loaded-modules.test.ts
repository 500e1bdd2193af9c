/** Loading a module of Node takes time that every short command pays (decision 002). */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadNative } from '../../src/process/native.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const HEAVY = [
  'child_process',
  'net',
  'tty',
  'readline',
  'stream',
  'zlib',
  'crypto',
  'http',
  'worker_threads',
];

async function heavyModulesOf(argv: readonly string[]): Promise<readonly string[]> {
  const log = path.join(temporaryFolder(), 'modules');
  const env = { NODE_OPTIONS: `--require=${path.join(HERE, 'watch-modules.cjs')}`, MODULES_LOG: log };
  const workspace = new Workspace({ 'a.yaml': 'name: a\nsteps:\n  - {name: A, command: ["true"]}\n' });
  // The first run of a user makes a key.
  expect(await workspace.run(argv)).toMatchObject({ exitCode: 0 });
  expect(await workspace.run(argv, { env })).toMatchObject({ exitCode: 0 });
  const loaded = fs.readFileSync(log, 'utf8').split('\n');
  return HEAVY.filter((name) => loaded.includes(`NativeModule ${name}`));
}

it.runIf(loadNative(path.join(HERE, '..', '..', 'dist')) !== undefined)(
  'a quiet run of a command loads no module of Node for processes, the network, terminals or digests',
  async () => {
    expect(await heavyModulesOf(['run', 'a.yaml', '--quiet'])).toEqual([]);
  },
);

it('`validate` starts nothing, and loads none of them that would start something', async () => {
  const loaded = await heavyModulesOf(['validate', 'a.yaml']);
  expect(loaded.filter((name) => name === 'child_process' || name === 'readline')).toEqual([]);
});
