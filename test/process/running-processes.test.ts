import { fork } from 'node:child_process';
import fs from 'node:fs';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SpawnHelper } from '../../src/process/spawn-helpers.ts';
import { until } from '../rig/orchestrate.ts';
import { buildHelpers } from './build-helpers.ts';
import { bash, createBench, isAlive, pidIn } from './rig.ts';

const bench = createBench();
const bundle = async (entry: string, outfile: string): Promise<void> => {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: outfile.endsWith('.mjs') ? 'esm' : 'cjs',
    logLevel: 'error',
  });
};
let helper: SpawnHelper | undefined;
beforeAll(async () => {
  [helper] = Object.values(await buildHelpers(bench));
  await bundle('test/process/kill-all-main.ts', bench.path('main.mjs'));
});

/** Kills what a failing test would leave behind. */
afterAll(() => {
  for (const name of fs.readdirSync(bench.folder)) {
    if (!/\.(self|group|session|bare|daemon|left)$/.test(name)) continue;
    const pid = Number(bench.read(name));
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
});

/** Starts one process of its kind in a separate program, and lets that program exit at once. */
async function endInAHurry(kind: 'piped' | 'direct' | 'helped', script: string): Promise<void> {
  const main = fork(bench.path('main.mjs'), [kind, bench.folder, JSON.stringify(helper), ...bash(script)], {
    stdio: 'ignore',
  });
  const ended = new Promise<number | null>((resolve) => main.once('exit', resolve));
  await until(() => fs.existsSync(bench.path(`${kind}.ready`)) || main.exitCode !== null);
  main.send('end');
  expect(await ended).toBe(130);
}

it.each(['piped', 'direct', 'helped'] as const)(
  'a process (%s) that ignores signals is killed with its group and its sessions',
  async (kind) => {
    const pid = (name: string): string => bench.path(`${kind}.${name}`);
    const deaf = `trap '' TERM HUP INT;`;
    const loop = 'while :; do sleep 0.05; done';
    const script = `${deaf} (echo $BASHPID > ${pid('group')}; ${loop}) &
      setsid bash -c "${deaf} echo \\$\\$ > ${pid('session')}; ${loop}" &
      env -i PATH="$PATH" setsid bash -c "${deaf} echo \\$\\$ > ${pid('bare')}; ${loop}" &
      env -i setsid -f bash -c "${deaf} echo \\$\\$ > ${pid('daemon')}; ${loop}"
      echo $$ > ${pid('self')}
      for each in group session bare daemon; do until [ -s ${pid('$each')} ]; do sleep 0.01; done; done
      touch ${pid('ready')}; ${loop}`;
    await endInAHurry(kind, script);
    const names = ['self', 'group', 'session', 'bare', 'daemon'];
    const pids = await Promise.all(names.map((name) => pidIn(pid(name))));
    await until(() => !pids.some(isAlive));
    if (kind === 'helped') {
      const helper = await pidIn(pid('parent'));
      await until(() => !isAlive(helper));
    }
  },
);

it('a process that outlives its leader while both are being stopped is killed too', async () => {
  const kind = 'aborted';
  const pid = (name: string): string => bench.path(`${kind}.${name}`);
  const script = `(trap '' TERM; echo $BASHPID > ${pid('left')}; while :; do sleep 0.05; done) &
    until [ -s ${pid('left')} ]; do sleep 0.01; done; echo $$ > ${pid('leader')}; touch ${pid('ready')}; wait`;
  const main = fork(bench.path('main.mjs'), [kind, bench.folder, JSON.stringify(helper), ...bash(script)], {
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => main.once('exit', resolve));
  await until(() => fs.existsSync(pid('ready')));
  main.send('abort');
  const leader = await pidIn(pid('leader'));
  await until(() => !isAlive(leader));
  const left = await pidIn(pid('left'));
  expect(isAlive(left)).toBe(true);
  main.send('end');
  await ended;
  await until(() => !isAlive(left));
});
