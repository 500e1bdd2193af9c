/** The versions of Node in `test/nodes`, besides the one that runs. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './import-source.js';

const folder = path.join(root, 'test', 'nodes');

/** Installs once per lock file. The packages contain only binaries; no scripts are run. Whether they are there. */
export function installNodes() {
  const lock = fs.readFileSync(path.join(folder, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const stamp = path.join(folder, 'node_modules', `.installed-${digest}`);
  if (fs.existsSync(stamp)) return true;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) return false;
  fs.writeFileSync(stamp, '');
  return true;
}

/** The program, or nothing if there is none for this machine. */
export function nodeOf(version) {
  if (process.versions.node.split('.')[0] === version) return process.execPath;
  const name = `node-${version}-${process.platform}-${process.arch}`;
  const node = path.join(folder, 'node_modules', name, 'bin', 'node');
  return fs.existsSync(node) ? node : undefined;
}

/** Runs vitest with this Node. Programs that the tests start as `node` use the same version. Whether all tests passed. */
export function passesOn(node, args, env = {}) {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH}`;
  const all = { ...process.env, ...env, PATH };
  return spawnSync(node, [vitest, 'run', ...args], { cwd: root, env: all, stdio: 'inherit' }).status === 0;
}
