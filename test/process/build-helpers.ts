/** Both spawn helpers, made of their sources: the native one where this machine has a compiler. */
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
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
  const flags = ['-O2', '-Wall', '-Wextra', '-Wpedantic', '-Werror'];
  const compiled = spawnSync('cc', [...flags, '-o', native, 'src/process/spawn-helper.c'], {
    encoding: 'utf8',
  });
  if (compiled.error === undefined && compiled.status !== 0) throw new Error(compiled.stderr);
  return {
    ...(compiled.error === undefined ? { native: { program: native, args: [], worthAfter: 2 } } : {}),
    node: { program: process.execPath, args: [node], worthAfter: 2 },
  };
}
