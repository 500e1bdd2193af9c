/** Cuts the power before every sync of every play. Every possible disk is read, and at each moment some are resumed. */
import fs from 'node:fs';
import path from 'node:path';
import type { Act } from '../kill-everywhere/play.ts';
import { playOn } from '../kill-everywhere/play-on.ts';
import { PLAYS } from '../kill-everywhere/plays.ts';
import { isOver, performAgain, setStage, type Theatre, theatreOf } from '../kill-everywhere/stage.ts';
import { loadReaders, type Readers } from '../rig/readers.ts';
import type { Context, Point, Suite, Trial } from '../suite.ts';
import { expectEveryDiskRead } from './every-disk.ts';
import { callsAt, judge, knownAt } from './judge.ts';
import { leave } from './leave.ts';
import { fingerprint, KEEPS_LEAST, type Loss, lossesAt } from './losses.ts';
import { refreshViews } from './refresh-views.ts';
import { type Moment, type Rehearsed, rehearse } from './rehearse.ts';

const QUICK_PLAYS = 2;
const QUICK_POINTS = 8;
/** Per play, besides those that are always tried. */
const FULL_POINTS = 30;

export const powerLoss: Suite = {
  name: 'power-loss',
  title:
    'The power is cut before every sync, and the disk keeps what was synced and, of the rest, some names and some sectors: nothing that was reported is lost, and the end is that of an undisturbed run.',
  async *points(context) {
    const isQuick = context.scale === 'quick';
    const chosen = isQuick ? context.random.fork('plays').sample(PLAYS, QUICK_PLAYS) : PLAYS;
    const plays = chosen.filter(({ name }) => context.wants(name));
    const readers = await loadReaders(context.root, context.folder());
    for (const play of plays) {
      yield* pointsOf(context, await rehearse(context, play), readers);
    }
  },
};

interface Cut {
  readonly id: string;
  readonly moment: Moment;
  readonly loss: Loss;
}

function pointsOf(context: Context, rehearsed: Rehearsed, readers: Readers): readonly Point[] {
  const { play, moments, disk } = rehearsed;
  const random = context.random.fork(play.name);
  const all = moments.flatMap((moment): readonly Cut[] =>
    lossesAt(disk, moment.at).map((loss) => ({
      ...{ moment, loss },
      id: `${play.name}/${play.acts[moment.act]?.name}/${moment.isOver ? 'over' : moment.sync}/${loss.id}`,
    })),
  );
  const isQuick = context.scale === 'quick';
  const chosen = isQuick ? random.sample(all, QUICK_POINTS / QUICK_PLAYS) : chosenOf(context, rehearsed, all);
  const tried = chosen.map(
    (cut): Point => ({ id: cut.id, check: (trial) => tryLoss(trial, rehearsed, cut) }),
  );
  const read: Point = {
    id: `${play.name}/every-disk`,
    check: (trial) => expectEveryDiskRead(trial, rehearsed, readers),
  };
  return isQuick ? tried : [...tried, read];
}

/**
 * The disk that keeps the least after each command has ended, then one each of as many other moments as possible; or the one that is
 * requested, to repeat it.
 */
function chosenOf(context: Context, rehearsed: Rehearsed, all: readonly Cut[]): readonly Cut[] {
  const wanted = all.filter(({ id }) => context.wants(id));
  if (wanted.length === 1) return wanted;
  const random = context.random.fork(`${rehearsed.play.name}/chosen`);
  const cuts = distinct(context, rehearsed, all);
  const always = cuts.filter(({ moment, loss }) => moment.isOver && KEEPS_LEAST.has(loss.id));
  const ofMoment = new Map<Moment, Cut[]>();
  for (const cut of cuts) {
    if (!always.includes(cut)) ofMoment.set(cut.moment, [...(ofMoment.get(cut.moment) ?? []), cut]);
  }
  const moments = [...ofMoment.values()];
  const first = random.sample(moments, FULL_POINTS).map((each) => random.pick(each));
  const others = moments.flat().filter((cut) => !first.includes(cut));
  return [...always, ...first, ...random.sample(others, FULL_POINTS - first.length)];
}

/** Keeps the last of the moments that leave the same disk: the most has been reported by then. */
function distinct(context: Context, { disk }: Rehearsed, cuts: readonly Cut[]): readonly Cut[] {
  const found = new Map<string, Cut>();
  for (const cut of cuts) {
    const { moment, loss, id } = cut;
    const left = disk.left(moment.at, loss.survival(disk, moment.at, context.random.fork(id)));
    const step = moment.isOver ? moment.act + 1 : moment.act;
    found.set(`${step} ${fingerprint(left)}`, cut);
  }
  context.count('possible disks', cuts.length);
  context.count('of these, different for a resume', found.size);
  return [...found.values()];
}

async function tryLoss(trial: Trial, rehearsed: Rehearsed, { id, moment, loss }: Cut): Promise<void> {
  const { play, disk, lines, scenes, folder: from } = rehearsed;
  const theatre = theatreOf(trial);
  const { folder } = theatre;
  setStage({ ...play, files: stageOnly(play.files) }, folder);
  fs.writeFileSync(path.join(folder, '.proof', 'calls'), callsAt(lines, moment.at));
  leave(disk.left(moment.at, loss.survival(disk, moment.at, trial.random.fork(id))), { from, to: folder });
  fs.cpSync(folder, path.join(trial.folder(), 'left'), { recursive: true });
  trial.count(`what is left: ${loss.id.replace(/-.*/, '')}`);
  const scene = scenes[moment.act];
  if (scene === undefined) throw new Error(`no act ${moment.act}`);
  if (!moment.isOver) await resumeWork(theatre, scene.act, moment);
  const known = knownAt(lines, moment.at);
  await playOn(trial, { theatre, scenes, scene }, async (after) => {
    await refreshViews(theatre);
    await judge({ play, undisturbed: after }, folder, known);
  });
}

function stageOnly(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => name.startsWith('.proof/')));
}

async function resumeWork(theatre: Theatre, act: Act, { runsBefore }: Moment): Promise<void> {
  if (isOver(act, theatre, runsBefore)) return;
  await performAgain(theatre, act, { runsBefore });
}
