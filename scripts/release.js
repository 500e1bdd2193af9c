/**
 * `node scripts/release.js [version]`: makes the package of a version in `release/`, and checks it as users will install it. It publishes nothing.
 * Run it on the oldest Node that is supported; without a version, it checks the package of the tree as it is, and changes no file.
 *
 *   1. sets the version and its heading in the changelog
 *   2. builds, with static native parts for every machine, and packs; compares files and size with the kept list
 *   3. installs the tarball into an empty folder, offline
 *   4. runs the commands of README and docs, and the tests of the package, from there on each version of Node
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './import-source.js';
import { installNodes, nodeOf, passesOn } from './nodes.js';
import { problemsOf } from './package-files.js';
import { withVersion } from './release-version.js';
import { compileStatic } from './static-native.js';

const NODES = ['20', '22', '24', '26'];
const TESTS = ['test/docs.test.ts', 'test/package'];

const [version, ...others] = process.argv.slice(2);
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-release-'));
try {
  if (others.length > 0) throw new Error('usage: node scripts/release.js [version]');
  release();
} catch (problem) {
  console.error(`error: ${problem.message}`);
  process.exitCode = 1;
} finally {
  fs.rmSync(temporary, { recursive: true, force: true });
}

function release() {
  const nodes = findNodes();
  if (version !== undefined) setVersion();
  const tarball = pack();
  const binary = install(tarball);
  const env = { ORCHESTRATE_BINARY: binary };
  const failed = nodes.filter(({ name, node }) => {
    console.log(`\nNode ${name}`);
    return !passesOn(node, TESTS, env);
  });
  if (failed.length > 0)
    throw new Error(`the package does not work on Node ${failed.map(({ name }) => name).join(', ')}`);
  if (version === undefined) return console.log('the package is fine');
  const kept = path.join(root, 'release', path.basename(tarball));
  fs.mkdirSync(path.dirname(kept), { recursive: true });
  fs.copyFileSync(tarball, kept);
  console.log(`made ${path.relative(root, kept)}; to publish it:
  git commit -am "Version ${version}" && git tag v${version} && git push --follow-tags
  npm publish ${path.relative(root, kept)}`);
}

function findNodes() {
  if (!installNodes()) throw new Error('the versions of Node could not be installed');
  const nodes = NODES.map((name) => ({ name, node: nodeOf(name) }));
  const missing = nodes.filter(({ node }) => node === undefined).map(({ name }) => name);
  if (missing.length > 0)
    throw new Error(`Node ${missing.join(', ')} not found: run this on Node ${NODES[0]}`);
  return nodes;
}

/** Everything that can be refused is refused before the first file is written. */
function setVersion() {
  if (run('git', ['status', '--porcelain']) !== '')
    throw new Error('there are changes that are not committed');
  const names = ['package.json', 'package-lock.json', 'CHANGELOG.md'];
  const texts = Object.fromEntries(
    names.map((name) => [name, fs.readFileSync(path.join(root, name), 'utf8')]),
  );
  const changed = withVersion(texts, version, new Date());
  for (const [name, text] of Object.entries(changed)) fs.writeFileSync(path.join(root, name), text);
}

function pack() {
  run('npm', ['run', '--silent', 'build']);
  compileStatic(path.join(root, 'dist'));
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', temporary];
  const [{ filename, files }] = JSON.parse(run('npm', args));
  const problems = problemsOf(files);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return path.join(temporary, filename);
}

function install(tarball) {
  const prefix = path.join(temporary, 'prefix');
  fs.mkdirSync(prefix);
  const env = { PATH: process.env.PATH, HOME: temporary, npm_config_globalconfig: os.devNull };
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: prefix, env });
  return fs.realpathSync(path.join(prefix, 'node_modules', '.bin', 'orchestrate'));
}

function run(program, args, options = {}) {
  return execFileSync(program, args, { cwd: root, encoding: 'utf8', ...options });
}
