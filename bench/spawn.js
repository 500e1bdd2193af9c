// Measures the cost of starting a process: `node bench/spawn.js [starts]`. Ratios are relative to the first row of each block.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const starts = Number(process.argv[2] ?? 2000);
const folder = mkdtempSync(join(tmpdir(), 'bench-spawn-'));
const out = (name) => join(folder, name);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bundled = async (source) => {
  const outfile = out(`${basename(source)}.mjs`);
  const entryPoints = [join(root, source)];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  return await import(outfile);
};
const { createProcessRunner, runProcess } = await bundled('src/process/run-process.ts');
const { spawnHelpersIn } = await bundled('src/process/spawn-helpers.ts');
const { nativeIn } = await bundled('src/process/native.ts');

const env = { PATH: process.env.PATH ?? '' };
const signal = new AbortController().signal;
const request = () => ({
  argv: ['true'],
  cwd: folder,
  env,
  stdin: { type: 'none' },
  mask: [],
  signal,
  stdout: { files: [out('logs/step.stdout')], headBytes: 8192, tailBytes: 4096 },
  stderr: { files: [out('logs/step.stderr')], headBytes: 0, tailBytes: 4096 },
});
const bare = () =>
  new Promise((resolve) => {
    const child = spawn('true', [], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', () => {});
    child.stderr.on('data', () => {});
    child.on('close', resolve);
  });
const here = createProcessRunner();
const [native, node] = spawnHelpersIn(join(root, 'dist'));
const own = createProcessRunner({ native: nativeIn(join(root, 'dist')) });
const all = createProcessRunner({ native: nativeIn(join(root, 'dist')), helpers: [native, node] });
const helpedByNode = createProcessRunner({ helpers: [node] });
const helped = createProcessRunner({ helpers: [native, node] });
const rows = {
  'bare pipes loop': bare,
  'runner, piped': () => runProcess(request()),
  'runner, direct': () => here.run(request()),
  'runner, direct, native part': () => own.run(request()),
  'runner, direct, native part and helper': () => all.run(request()),
  'runner, direct, Node helper': () => helpedByNode.run(request()),
  'runner, direct, helper': () => helped.run(request()),
};
const rounds = 5;
const perRound = Math.ceil(starts / rounds);
for (let i = 0; i < 64; i++) {
  await rows['runner, direct, helper']();
  await rows['runner, direct, Node helper']();
}

globalThis.ballast = [];
for (const extraMb of [0, 200]) {
  for (let i = 0; i < extraMb; i++) globalThis.ballast.push(Buffer.alloc(1 << 20, i + 1));
  for (const atOnce of [1, 8]) {
    const times = Object.fromEntries(Object.keys(rows).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, one] of Object.entries(rows)) {
        const begin = performance.now();
        let left = perRound;
        const lane = async () => {
          while (left-- > 0) await one();
        };
        await Promise.all(Array.from({ length: atOnce }, lane));
        times[name].push((performance.now() - begin) / perRound);
      }
    }
    const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
    const base = median(times['bare pipes loop']);
    console.log(`heap +${extraMb} MB, ${atOnce} at once, bare loop ${base.toFixed(2)} ms each`);
    for (const [name, values] of Object.entries(times)) {
      console.log(`  ${name.padEnd(28)} ${(median(values) / base).toFixed(2)}x`);
    }
  }
}
here.close();
own.close();
all.close();
helped.close();
helpedByNode.close();
rmSync(folder, { recursive: true });
