import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { BENCH_MODULES } from '../workspace.js';

/** The first version number that a program prints; undefined if it is not installed. */
export function programVersion(program, ...argv) {
  const { status, stdout } = spawnSync(program, argv.length > 0 ? argv : ['--version'], { encoding: 'utf8' });
  return status === 0 ? (/\d+(?:\.\d+)*/.exec(stdout)?.[0] ?? 'there') : undefined;
}

/** Version of a package installed in this folder. */
export function packageVersion(name) {
  const file = path.join(BENCH_MODULES, name, 'package.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).version : undefined;
}

export function numbers(count) {
  return Array.from({ length: count }, (_, index) => index);
}

/** Empties a folder of stamps before the next round. */
export function emptied(folder, name) {
  const stamps = path.join(folder, name);
  return () => {
    fs.rmSync(stamps, { recursive: true, force: true });
    fs.mkdirSync(stamps, { recursive: true });
  };
}
