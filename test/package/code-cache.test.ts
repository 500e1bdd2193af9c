/** The code cache of an installed package, on each version of Node: the one that runs the tests, and those of `npm run test:nodes`. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { installedPackage } from '../rig/installed-package.ts';
import { isInstalled, NODE_VERSIONS, nodeOf } from '../rig/nodes.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const WATCH = path.join(HERE, '..', 'start-up', 'watch-scripts.cjs');
const ONE_STEP = 'name: one\nsteps:\n  - name: Say\n    command: [echo, hello]\n';
const RUN = ['run', 'one.yaml', '--quiet'];

const installed = installedPackage();

function filesOfPackage(): readonly string[] {
  return fs.readdirSync(installed.prefix, { recursive: true, encoding: 'utf8' }).sort();
}

describe.each(NODE_VERSIONS)('on Node %s, the installed package', (version) => {
  const node = nodeOf(version);
  const test = it.skipIf(!isInstalled(version));

  test('makes a cache for this build, Node and processor, for this user alone, and uses it', async () => {
    const binary = installed.command('orchestrate');
    const workspace = new Workspace({ 'one.yaml': ONE_STEP });
    const caches = temporaryFolder();
    const before = filesOfPackage();
    const env = { XDG_CACHE_HOME: caches };
    expect(await workspace.run(RUN, { node, binary, env })).toMatchObject({ exitCode: 0, stderr: '' });

    const folder = path.join(caches, 'orchestrate');
    const [name = '', ...others] = fs.readdirSync(folder);
    const pack = fs.readFileSync(path.join(path.dirname(binary), '..', 'dist', 'pack.cjs'), 'latin1');
    const exact = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    expect([name, ...others]).toEqual([
      `orchestrate-run-${pack.slice(2, 18)}-${exact}-${process.arch}.cache`,
    ]);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);

    const log = path.join(temporaryFolder(), 'scripts');
    const watched = { ...env, NODE_OPTIONS: `--require=${WATCH}`, SCRIPTS_LOG: log };
    expect(await workspace.run(RUN, { node, binary, env: watched })).toMatchObject({ exitCode: 0 });
    expect(new Set(fs.readFileSync(log, 'utf8').trimEnd().split('\n').map(resultOf))).toEqual(
      new Set(['accepted']),
    );
    expect(filesOfPackage()).toEqual(before);
  });

  test('works without one, and says nothing, where it cannot be written', async () => {
    const workspace = new Workspace({ 'one.yaml': ONE_STEP, 'a-file': '' });
    const before = filesOfPackage();
    const ended = await workspace.run(RUN, {
      node,
      binary: installed.command('orchestrate'),
      env: { XDG_CACHE_HOME: path.join(workspace.folder, 'a-file') },
    });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(filesOfPackage()).toEqual(before);
  });
});

/** `pack.cjs accepted` */
function resultOf(line: string): string | undefined {
  return line.split(' ')[1];
}
