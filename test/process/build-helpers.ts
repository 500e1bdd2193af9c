/** Builds both spawn helpers and the native part from source: the native ones only if this machine has a compiler. */
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { loadNative } from '../../src/process/native.ts';
import type { SpawnHelper } from '../../src/process/spawn-helpers.ts';
import type { Bench } from './rig.ts';

export async function buildHelpers(bench: Bench): Promise<{ readonly [kind: string]: SpawnHelper }> {
  const node = bench.path('spawn-helper.cjs');
  await build({
    entryPoints: ['src/process/spawn-helper.ts'],
    outfile: node,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const native = bench.path('spawn-helper');
  const isCompiled = compile('src/process/spawn-helper.c', native, []);
  buildNative(bench);
  return {
    ...(isCompiled ? { native: { program: native, args: [], worthAfter: 2 } } : {}),
    node: { program: process.execPath, args: [node], worthAfter: 2 },
  };
}

/** For `nativeIn` of the bench's folder. */
export function buildNative(bench: Bench): void {
  const name = `native-${process.platform}-${process.arch}.node`;
  const isCompiled = compile('src/process/native.c', bench.path(name), ['-shared', '-fPIC']);
  if (isCompiled && loadNative(bench.folder) === undefined) throw new Error(`${name} cannot be loaded`);
}

/** False if there is no compiler. */
function compile(source: string, made: string, flags: readonly string[]): boolean {
  const strict = ['-O2', '-Wall', '-Wextra', '-Wpedantic', '-Werror'];
  const compiled = spawnSync('cc', [...strict, ...flags, '-o', made, source], { encoding: 'utf8' });
  if (compiled.error !== undefined) return false;
  if (compiled.status !== 0) throw new Error(compiled.stderr);
  return true;
}
