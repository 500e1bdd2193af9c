/** A chain of `true`, durable, against the same spawns in a bare Node loop and against other tools. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, timed } from './measure.js';
import { BENCH_MODULES, inFolder, ORCHESTRATE, writeChain } from './workspace.js';

const BARE_LOOP = `
const { spawn } = require('node:child_process');
(async () => {
  for (let i = 0; i < Number(process.argv[1]); i += 1) {
    await new Promise((done) => spawn('true', { stdio: 'pipe' }).once('close', done));
  }
})();
`;

export async function chain({ quick }) {
  const count = quick ? 1000 : 10_000;
  return inFolder(async (folder) => {
    writeChain(path.join(folder, 'chain.yaml'), count);
    const times = await interleaved(
      {
        bare: async () => (await timed([process.execPath, '-e', BARE_LOOP, String(count)])).ms,
        ours: async () =>
          (await timed([process.execPath, ORCHESTRATE, 'run', 'chain.yaml', '--quiet'], { cwd: folder })).ms,
      },
      quick ? 3 : 3,
    );
    return [
      row(`${count} durable steps, x the same spawns in a bare Node loop`, times.ours / times.bare, 1.5),
      row('cost of the last tenth of them, x the first tenth', flatness(folder), 1.25),
      row('memory at its peak, x a run of a tenth as many steps', await memoryGrowth(folder, count), 2),
    ];
  });
}

/** From the journal's own times. */
function flatness(folder) {
  const runs = path.join(folder, '.orchestrate', 'runs');
  const last = fs.readdirSync(runs).sort().at(-1);
  const ends = fs
    .readFileSync(path.join(runs, last, 'journal.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"step-ended"'))
    .map((line) => Date.parse(/"at":"([^"]+)"/.exec(line)[1]));
  const tenth = Math.floor(ends.length / 10);
  // The first steps also warm the program up.
  const first = ends[2 * tenth] - ends[tenth];
  const final = ends.at(-1) - ends[ends.length - 1 - tenth];
  return final / first;
}

async function memoryGrowth(folder, count) {
  writeChain(path.join(folder, 'tenth.yaml'), count / 10);
  const run = (file) =>
    timed([process.execPath, ORCHESTRATE, 'run', file, '--quiet'], { cwd: folder, watchMemory: true });
  const small = await run('tenth.yaml');
  const large = await run('chain.yaml');
  return large.peakKib / small.peakKib;
}

/** A thousand steps in the tools that people use instead. Figures, not limits. */
export async function peers({ quick }) {
  const count = quick ? 100 : 1000;
  return inFolder(async (folder) => {
    writeChain(path.join(folder, 'chain.yaml'), count);
    const contestants = {
      bare: async () => (await timed([process.execPath, '-e', BARE_LOOP, String(count)])).ms,
      orchestrate: async () =>
        (await timed([process.execPath, ORCHESTRATE, 'run', 'chain.yaml', '--quiet'], { cwd: folder })).ms,
      ...makeChain(folder, count),
      ...ninjaChain(folder, count),
      ...zxChain(folder, count),
      ...wireitChain(folder, count),
    };
    const times = await interleaved(contestants, 3);
    return Object.entries(times).map(([name, ms]) =>
      row(`chain of ${count} in ${name}, x the bare Node loop`, ms / times.bare),
    );
  });
}

function makeChain(folder, count) {
  if (!isThere('make')) return {};
  const rules = Array.from(
    { length: count },
    (_, i) => `stamps/${i}: ${i === 0 ? '' : `stamps/${i - 1}`}\n\t@true && touch $@\n`,
  );
  fs.writeFileSync(path.join(folder, 'Makefile'), `all: stamps/${count - 1}\n${rules.join('')}`);
  return {
    'make with stamp files': async () => {
      fs.rmSync(path.join(folder, 'stamps'), { recursive: true, force: true });
      fs.mkdirSync(path.join(folder, 'stamps'));
      return (await timed(['make', '-s'], { cwd: folder })).ms;
    },
  };
}

function ninjaChain(folder, count) {
  if (!isThere('ninja')) return {};
  const builds = Array.from(
    { length: count },
    (_, i) => `build n/${i}: stamp ${i === 0 ? '' : `n/${i - 1}`}\n`,
  );
  fs.writeFileSync(
    path.join(folder, 'build.ninja'),
    `rule stamp\n  command = true && touch $out\n${builds.join('')}`,
  );
  return {
    ninja: async () => {
      fs.rmSync(path.join(folder, 'n'), { recursive: true, force: true });
      fs.rmSync(path.join(folder, '.ninja_log'), { force: true });
      fs.rmSync(path.join(folder, '.ninja_deps'), { force: true });
      return (await timed(['ninja', '--quiet'], { cwd: folder })).ms;
    },
  };
}

function zxChain(folder, count) {
  const zx = path.join(BENCH_MODULES, 'zx', 'build', 'cli.js');
  if (!fs.existsSync(zx)) return {};
  fs.writeFileSync(
    path.join(folder, 'chain.mjs'),
    `$.verbose = false;\nfor (let i = 0; i < ${count}; i += 1) await $\`true\`;\n`,
  );
  return { zx: async () => (await timed([process.execPath, zx, 'chain.mjs'], { cwd: folder })).ms };
}

function wireitChain(folder, count) {
  const wireit = path.join(BENCH_MODULES, 'wireit', 'bin', 'wireit.js');
  if (!fs.existsSync(wireit)) return {};
  const project = path.join(folder, 'wireit');
  fs.mkdirSync(project);
  const names = Array.from({ length: count }, (_, i) => `s${i}`);
  fs.writeFileSync(
    path.join(project, 'package.json'),
    JSON.stringify({
      name: 'chain',
      version: '1.0.0',
      scripts: Object.fromEntries(names.map((name) => [name, 'wireit'])),
      wireit: Object.fromEntries(
        names.map((name, i) => [
          name,
          { command: 'true', ...(i === 0 ? {} : { dependencies: [`s${i - 1}`] }) },
        ]),
      ),
    }),
  );
  return {
    wireit: async () =>
      (
        await timed([process.execPath, wireit], {
          cwd: project,
          env: {
            npm_lifecycle_event: `s${count - 1}`,
            npm_package_json: path.join(project, 'package.json'),
            npm_config_user_agent: 'npm/11',
            WIREIT_LOGGER: 'quiet',
            WIREIT_CACHE: 'none',
          },
        })
      ).ms,
  };
}

function isThere(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}
