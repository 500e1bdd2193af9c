/** A real disk that is too small, filled during a run. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { runProgram } from '../program.ts';
import { runsIn } from '../site/site.ts';
import type { Context, Point, Trial } from '../suite.ts';

const COUNT = { quick: 1, full: 16 };
const ITEMS = 30;
const DISK_KIB = 8192;
/** A run of this size needs less than this. */
const MOST_FREE_KIB = 200;

/** Each item leaves a mark outside the disk. */
function workflow(marks: string): string {
  return `name: full
steps:
  - {name: Items, command: [seq, "${ITEMS}"], output_capture: lines}
  - name: Loop
    for_each:
      items_from: steps.Items.lines
      steps:
        - {name: Work, command: [bash, -c, "echo x >> $0/\${item}; head -c 3000 note.txt", "${marks}"]}
        - {name: Keep, command: [head, -c, "2000", note.txt], output_file: "out/\${item}.txt"}
`;
}

export function fullDiskPoints(context: Context): readonly Point[] {
  return Array.from({ length: COUNT[context.scale] }, (_, index) => ({
    id: `full-disk/${index}`,
    check: tryFullDisk,
  }));
}

async function tryFullDisk(trial: Trial): Promise<void> {
  const disk = path.join(trial.folder(), 'disk');
  fs.mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_KIB}k`, 'tmpfs', disk]);
  if (mounted.status !== 0) trial.skip('mounting a disk is not permitted here');
  try {
    await fillAndGoOn(trial, disk);
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
}

async function fillAndGoOn(trial: Trial, folder: string): Promise<void> {
  const marks = trial.folder();
  fs.writeFileSync(path.join(folder, 'w.yaml'), workflow(marks));
  fs.writeFileSync(path.join(folder, 'note.txt'), 'y'.repeat(3000));
  const filler = path.join(folder, 'filler');
  const { bavail, bsize } = fs.statfsSync(folder);
  const freeKib = trial.random.integer(0, MOST_FREE_KIB);
  fs.writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - freeKib * 1024)));
  const run = (argv: readonly string[]) =>
    runProgram({ root: trial.root, folder, argv, signal: trial.signal });
  const ended = await run(['run', 'w.yaml', '--quiet']);
  const said = `${ended.stdout}${ended.stderr}`;
  const where = `${freeKib} KiB free`;
  must(ended.exitCode === 1 && said.includes('ENOSPC') && !/\n {4}at |internal error/.test(said), () => ({
    ...{ expected: 'exit code 1 and ENOSPC', found: shortened(`${ended.exitCode}\n${said}`), where },
  }));
  fs.rmSync(filler);
  const begun = runsIn(folder).length > 0;
  trial.count(begun ? 'disks that became full during the run' : 'disks that were full from the start');
  const again = await run(begun ? ['resume', 'last', '--quiet'] : ['run', 'w.yaml', '--quiet']);
  must(again.exitCode === 0, () => ({
    ...{ expected: 'that it continues once there is space', found: shortened(again.stderr), where },
  }));
  for (let item = 1; item <= ITEMS; item += 1) {
    const times = fs.readFileSync(path.join(marks, String(item)), 'utf8').split('\n').length - 1;
    const kept = fs.statSync(path.join(folder, 'out', `${item}.txt`)).size;
    must(times <= 2 && kept === 2000, () => ({
      expected: 'each item once, or twice if it was interrupted, and its file complete',
      found: `item ${item}: ${times} times, ${kept} bytes`,
      where,
    }));
  }
}
