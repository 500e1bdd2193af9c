/** A durable chain of `true`, compared with the same spawns in a bare Node loop, and in a C program. */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, syncMs, timed } from './measure.js';
import { bareNode } from './peers/bare-node.js';
import { posixSpawn } from './peers/posix-spawn.js';
import { inFolder, ORCHESTRATE, writeChain } from './workspace.js';

export async function chain({ quick }) {
  const count = quick ? 1000 : 10_000;
  return inFolder(async (folder) => {
    writeChain(path.join(folder, 'chain.yaml'), count);
    const times = await interleaved(
      {
        bare: async () => (await timed(bareNode.prepare({ count, shape: 'chain' }).argv)).ms,
        ours: async () =>
          (await timed([process.execPath, ORCHESTRATE, 'run', 'chain.yaml', '--quiet'], { cwd: folder })).ms,
      },
      quick ? 3 : 3,
    );
    return [
      row(`${count} durable steps, x the same spawns in a bare Node loop`, times.ratio('ours', 'bare'), 1.5),
      row('cost of the last tenth of them, x the first tenth', flatness(folder), 1.25),
      row('memory at its peak, x a run of a tenth as many steps', await memoryGrowth(folder, count), 2),
      ...(await besideC(folder, quick ? 3 : 7)),
    ];
  });
}

/** The minimum cost of the system, and one sync per step, which nobody can do without who records it. */
async function besideC(folder, rounds) {
  const count = 1000;
  const native = posixSpawn.prepare({ folder, count, shape: 'chain' });
  if (native === undefined) return [];
  writeChain(path.join(folder, 'thousand.yaml'), count);
  const syncs = [];
  const times = await interleaved(
    {
      native: async () => (await timed(native.argv)).ms,
      ours: async () => {
        const ended = await timed([process.execPath, ORCHESTRATE, 'run', 'thousand.yaml', '--quiet'], {
          cwd: folder,
        });
        syncs.push(syncMs());
        return ended.ms - count * syncs.at(-1);
      },
    },
    rounds,
  );
  return [
    row(
      `${count} durable steps without one sync each, x a C program with posix_spawn`,
      times.ratio('ours', 'native'),
      2.5,
    ),
  ];
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
  const run = async (file) =>
    (await timed([process.execPath, ORCHESTRATE, 'run', file, '--quiet'], { cwd: folder, watchMemory: true }))
      .peakKib;
  // When garbage is collected varies, and with it the peak.
  const peaks = await interleaved({ small: () => run('tenth.yaml'), large: () => run('chain.yaml') }, 3);
  return peaks.ratio('large', 'small');
}
