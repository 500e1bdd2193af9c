/**
 * `node scripts/static-native.js`: the native parts for x64 and arm64, for the package that is published. The helper is linked statically with
 * musl; the module that Node loads names no library and no version of a symbol. So both work with every C library, and need none.
 * The compilers and musl come from Debian's packages; musl is unpacked into `release/`, never installed.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { elfOf } from './elf.js';
import { root } from './import-source.js';

/** `processor`: as Node names it. */
export const MACHINES = [
  { processor: 'x64', debian: 'amd64', triple: 'x86_64-linux-gnu', musl: 'x86_64-linux-musl' },
  { processor: 'arm64', debian: 'arm64', triple: 'aarch64-linux-gnu', musl: 'aarch64-linux-musl' },
];

/** Replaces the native parts in `dist`, and adds the licence of musl. Throws a sentence if one cannot be made. */
export function compileStatic(dist) {
  for (const machine of MACHINES) {
    const musl = muslFor(machine);
    compileHelper(machine, musl, path.join(dist, `spawn-helper-linux-${machine.processor}`));
    compileModule(machine, musl, path.join(dist, `native-linux-${machine.processor}.node`));
  }
  addLicense(dist, path.join(muslFor(MACHINES[0]), 'share', 'doc', 'musl-dev', 'copyright'));
}

function compileHelper(machine, musl, target) {
  const at = (name) => path.join(musl, 'lib', machine.musl, name);
  const libgcc = run(compilerOf(machine), ['-print-libgcc-file-name']).trim();
  compile(machine, musl, [
    ...['-static', '-nostdlib', '-o', target, at('crt1.o'), at('crti.o'), source('spawn-helper.c')],
    ...[at('libc.a'), libgcc, at('crtn.o')],
  ]);
  check(target, machine);
}

function compileModule(machine, musl, target) {
  compile(machine, musl, ['-shared', '-fPIC', '-nostdlib', '-o', target, source('native.c')]);
  check(target, machine);
}

function compile(machine, musl, args) {
  const compiler = compilerOf(machine);
  const own = run(compiler, ['-print-file-name=include']).trim();
  const headers = ['-nostdinc', '-isystem', path.join(musl, 'include', machine.musl), '-isystem', own];
  // Without these two, gcc calls functions that only glibc has.
  run(compiler, ['-O2', '-s', '-U_FORTIFY_SOURCE', '-fno-stack-protector', ...headers, ...args]);
}

function check(target, machine) {
  const { processor, interpreter, libraries } = elfOf(fs.readFileSync(target));
  const name = path.basename(target);
  if (processor !== machine.processor) throw new Error(`${name} was made for ${processor}`);
  if (interpreter !== undefined) throw new Error(`${name} needs ${interpreter}`);
  if (libraries.length > 0) throw new Error(`${name} needs ${libraries.join(', ')}`);
}

function compilerOf({ triple }) {
  const compiler = `${triple}-gcc`;
  try {
    run(compiler, ['--version']);
  } catch {
    throw new Error(`${compiler} not found: apt-get install gcc-${triple.replace('_', '-')}`);
  }
  return compiler;
}

/** The folder `usr` of Debian's package musl-dev for this machine. */
function muslFor({ debian }) {
  const folder = path.join(root, 'release', 'musl', debian);
  if (!fs.existsSync(folder)) unpack(debian, folder);
  return path.join(folder, 'usr');
}

/** Uses lists and a cache of its own, so that no foreign architecture is added to the system. */
function unpack(debian, folder) {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-musl-'));
  const state = path.join(temporary, 'state');
  const cache = path.join(temporary, 'cache');
  for (const place of [path.join(state, 'lists', 'partial'), path.join(cache, 'archives', 'partial')])
    fs.mkdirSync(place, { recursive: true });
  const settings = {
    'APT::Architecture': debian,
    'APT::Architectures': debian,
    'APT::Sandbox::User': 'root',
    'Dir::State': state,
    'Dir::State::status': os.devNull,
    'Dir::Cache': cache,
  };
  const apt = (...words) =>
    run(
      'apt-get',
      [...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]), '-qq', ...words],
      temporary,
    );
  try {
    apt('update');
    apt('download', 'musl-dev');
    const file = fs.readdirSync(temporary).find((name) => name.endsWith('.deb'));
    if (file === undefined) throw new Error('apt-get has not downloaded it');
    const unpacked = path.join(temporary, 'unpacked');
    run('dpkg', ['-x', path.join(temporary, file), unpacked]);
    fs.cpSync(unpacked, folder, { recursive: true, verbatimSymlinks: true });
  } catch (problem) {
    throw new Error(`musl for ${debian} comes from Debian's package musl-dev: ${problem.message}`);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function addLicense(dist, file) {
  const heading = `${'-'.repeat(80)}\nmusl (the helper that starts processes is linked with it), MIT\n`;
  fs.appendFileSync(
    path.join(dist, 'LICENSES.txt'),
    `\n${heading}\n${fs.readFileSync(file, 'utf8').trim()}\n`,
  );
}

function source(name) {
  return path.join(root, 'src', 'process', name);
}

function run(program, args, cwd = root) {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) compileStatic(path.join(root, 'dist'));
