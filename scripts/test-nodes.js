/**
 * `npm run test:nodes [-- [--all] [version…] [file or folder…]]`: runs tests on other versions of Node (default: 22, 24 and 26). Without
 * `--all`, files or folders, it runs the quick tests of the engine, the store and workflows.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = path.join(root, 'test', 'nodes');
const VERSIONS = ['22', '24', '26'];
const QUICK = ['--config', 'test/quick.config.ts', 'test/engine', 'test/store', 'test/workflow'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } });
const named = positionals.filter((word) => VERSIONS.includes(word));
const files = positionals.filter((word) => !VERSIONS.includes(word));
const tests = values.all || files.length > 0 ? files : QUICK;

install();
const failed = (named.length > 0 ? named : VERSIONS).filter((version) => !passesOn(version));
if (failed.length > 0) console.error(`failed on Node ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Installs once per lock file. The packages contain only binaries; no scripts are run. */
function install() {
  const lock = fs.readFileSync(path.join(folder, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const stamp = path.join(folder, 'node_modules', `.installed-${digest}`);
  if (fs.existsSync(stamp)) return;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  fs.writeFileSync(stamp, '');
}

/** Programs that the tests start as `node` use the same version. */
function passesOn(version) {
  const bin = path.join(folder, 'node_modules', `node-${version}-${process.platform}-${process.arch}`, 'bin');
  const node = path.join(bin, 'node');
  if (!fs.existsSync(node)) {
    console.error(`Node ${version} for ${process.platform}-${process.arch} not found in test/nodes`);
    return false;
  }
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
  console.log(`\nNode ${version}`);
  return spawnSync(node, [vitest, 'run', ...tests], { cwd: root, env, stdio: 'inherit' }).status === 0;
}
