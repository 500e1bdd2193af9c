// What starting a process costs: `node bench/spawn.js [starts]`. Read the ratios to the first row of each block.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const starts = Number(process.argv[2] ?? 2000);
const folder = mkdtempSync(join(tmpdir(), 'bench-spawn-'));
const out = (name) => join(folder, name);
const bundle = (source, name, format) =>
  build({
    entryPoints: [source],
    outfile: out(name),
    bundle: true,
    platform: 'node',
    format,
    logLevel: 'error',
  });
await bundle('src/process/run-process.ts', 'run-process.mjs', 'esm');
await bundle('src/process/spawn-helper.ts', 'spawn-helper.cjs', 'cjs');
const { createProcessRunner, runProcess } = await import(out('run-process.mjs'));

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
const helped = createProcessRunner({ helperPath: out('spawn-helper.cjs') });
const rows = {
  'bare pipes loop': bare,
  'runner, piped': () => runProcess(request()),
  'runner, direct': () => here.run(request()),
  'runner, direct, helper': () => helped.run(request()),
};
const rounds = 5;
const perRound = Math.ceil(starts / rounds);
for (let i = 0; i < 64; i++) await rows['runner, direct, helper']();

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
      console.log(`  ${name.padEnd(24)} ${(median(values) / base).toFixed(2)}x`);
    }
  }
}
here.close();
helped.close();
rmSync(folder, { recursive: true });
