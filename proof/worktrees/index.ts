/**
 * Kills the program around and within the calls of git with which it makes, commits and merges worktrees, and at its own disk operations; and
 * cuts the power of its disk there. What is done and when follows from one undisturbed run (`moments.ts`), which also says which moments are left out.
 *
 * Most of a point's time is spent on syncs, which only the cuts need: with `TMPDIR=/dev/shm` it takes half as long. The disks of the cuts are files
 * with file systems of their own, wherever they are.
 */
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { createSite, mustEnd } from '../site/site.ts';
import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite, Trial } from '../suite.ts';
import { idOf, lossesOf, type Moment, momentsOf, rehearse } from './moments.ts';
import { ENVIRONMENT, killAt, mustBeComplete, type Play, run, setUp, setUpIn } from './play.ts';
import { createDisk } from './power.ts';
import { canTrace, killingGit } from './stand-in.ts';

export const worktrees: Suite = {
  name: 'worktrees',
  title:
    "A run with isolated work is killed before, after and within its calls of git, and at its own disk operations, and the power is cut around every call of git that changes a branch or a worktree: resumed, it has merged everything once, left no worktree, branch or lock, and the user's staged, unstaged and untracked changes are byte for byte as before.",
  timeLimitMs: 180_000,
  atOnce: 2,
  points: tidied(pointsOf),
};

const QUICK = 3;
/** `HEAD` and the branch. */
const MOST_LOCKS = 2;

async function* pointsOf(context: Context): AsyncGenerator<Point> {
  const { scale, random, root } = context;
  const site = createSite({
    ...context,
    signal: new AbortController().signal,
    skip: () => undefined as never,
  });
  const { site: rehearsed } = setUpIn(site);
  const entries = await rehearse(rehearsed, root);
  if (!canTrace()) context.note('git was not killed within its calls: strace is not available');
  const killed = momentsOf(entries, rehearsed.path('work'), random.fork('moments')).map(killPoint);
  const cut = lossesOf(entries).map(cutPoint);
  if (scale === 'full') yield* [...killed, ...cut];
  else yield* [...random.sample(killed, QUICK), ...random.sample(cut, 1)];
}

function killPoint(moment: Moment): Point {
  return {
    id: idOf(moment),
    async check(trial) {
      const play = setUp(trial);
      await runUntil(play, moment);
      trial.count(moment.type === 'git' ? `kills ${moment.how} a call of git` : 'kills at a disk operation');
      await playOn(play);
    },
  };
}

/** The run until the moment; `first` are commands of a shell that the stand-in runs then. */
async function runUntil(play: Play, moment: Moment, first = ''): Promise<void> {
  const { site } = play;
  const { trial } = site;
  if (moment.type === 'git') {
    const { how, call, at = 0 } = moment;
    site.write({ '.bin/git': killingGit(play, call, { how, at, first }) });
  }
  const { type, ...order } = moment;
  const env = { ...ENVIRONMENT(site), ...(type === 'disk' ? killAt(trial.root, order) : {}) };
  const killed = await site.run(run('run', 'w.yaml'), { env });
  removeStandIn(play);
  if (killed.signal !== null) return;
  mustEnd(killed, 0, ['run']);
  trial.skip(
    moment.type === 'git' && moment.how === 'within'
      ? 'git made fewer system calls this time'
      : 'it took another path, or another turn, this time',
  );
}

function removeStandIn({ site }: Play): void {
  fs.rmSync(site.path('.bin', 'git'), { force: true });
}

function cutPoint(moment: Moment): Point {
  return {
    id: `power/${idOf(moment)}`,
    async check(trial) {
      const disk = createDisk(trial.folder());
      if (disk === undefined) return trial.skip('mounting a disk is not permitted here');
      try {
        await cutAndGoOn(trial, disk, moment);
      } finally {
        disk.remove();
      }
    },
  };
}

async function cutAndGoOn(
  trial: Trial,
  disk: NonNullable<ReturnType<typeof createDisk>>,
  moment: Moment,
): Promise<void> {
  // What the steps did is remembered elsewhere.
  fs.symlinkSync(trial.folder(), path.join(disk.folder, '.home'));
  const play = setUpIn(createSite({ ...trial, folder: () => disk.folder }));
  // What the user has was there long before.
  disk.settle();
  await runUntil(play, moment, disk.cut);
  disk.restart();
  removeStandIn(play);
  trial.count('cuts of the power around a call of git');
  await playOn(play, { mayLeaveLock: true });
}

/** The run is resumed; one that was killed before it began is started again. */
async function playOn(play: Play, { mayLeaveLock = false } = {}): Promise<void> {
  const { site } = play;
  const env = ENVIRONMENT(site);
  let again = await site.run(run('resume', 'last'), { env });
  // What a git leaves that moves the user's own branch when the power is cut: the run says which file, and the user removes it.
  for (let locks = 0; mayLeaveLock && locks < MOST_LOCKS; locks += 1) {
    const lock = /`([^`]+\.lock)` exists; if no other git is running, remove it/.exec(again.stderr)?.[1];
    if (lock === undefined) break;
    site.trial.count('locks that the user removes, as advised');
    fs.rmSync(lock);
    again = await site.run(run('resume', 'last'), { env });
  }
  const isUnknown = again.exitCode === 2 && again.stderr.includes('no runs in this folder yet');
  if (isUnknown) mustEnd(await site.run(run('run', 'w.yaml'), { env }), 0, ['run']);
  else
    must(again.exitCode === 0 || again.stderr.includes('completed'), () => ({
      expected: 'the run to be resumed, or to be completed',
      found: shortened(`${again.signal ?? again.exitCode}: ${again.stdout}${again.stderr}`),
    }));
  mustBeComplete(play);
}
