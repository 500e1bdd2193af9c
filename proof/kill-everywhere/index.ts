/** Kills the program before, after and within every disk operation, and resumes. */
import type { Random } from '../random.ts';
import type { Point, Suite, Trial } from '../suite.ts';
import { type AtKill, judge, lookAtKill, type Undisturbed, undisturbed } from './judge.ts';
import { type Moment, momentsOf } from './moments.ts';
import type { Act } from './play.ts';
import { playOn } from './play-on.ts';
import { PLAYS } from './plays.ts';
import * as rehearsal from './rehearse.ts';
import { isOver, type KillOrder, performAgain, playAct, runsIn, type Theatre, theatreOf } from './stage.ts';
import { canTrace, traceAct } from './strace.ts';

type Rehearsed = rehearsal.Rehearsed<Undisturbed>;
type Scene = rehearsal.Scene<Undisturbed>;

interface Kill {
  readonly scene: Scene;
  readonly id: string;
  readonly moment: Moment;
}

const QUICK_PLAYS = 5;
const QUICK_POINTS = 24;
/** One of this many points is tried again with a second kill during the resume. */
const TWICE = 20;
/** The second kill is at one of this many operations. */
const SECOND_WITHIN = 80;

export const killEverywhere: Suite = {
  name: 'kill-everywhere',
  title:
    'SIGKILL before, after and within every operation on the disk: after resuming, no recorded result is lost, no completed step runs again, and the end is that of an undisturbed run.',
  async *points(context) {
    const chosen =
      context.scale === 'quick' ? context.random.fork('plays').sample(PLAYS, QUICK_PLAYS) : PLAYS;
    const plays = chosen.filter(({ name }) => context.wants(name));
    const rehearsed = await rehearsal.rehearseAll(context, { plays, look: undisturbed });
    if (context.scale === 'full')
      for (const { scenes } of rehearsed)
        for (const { operations } of scenes) context.count('operations on the disk', operations.length);
    const all = rehearsed.flatMap((one) => pointsOf(one, context.random.fork(`moments/${one.play.name}`)));
    yield* context.scale === 'quick' ? context.random.sample(all, QUICK_POINTS) : all;
  },
};

function pointsOf(rehearsed: Rehearsed, random: Random): readonly Point[] {
  const kills = rehearsed.scenes.flatMap((scene) => killsIn(rehearsed, scene, random));
  const once = kills.map(
    (kill): Point => ({ id: kill.id, check: (trial) => tryKill(trial, rehearsed, kill) }),
  );
  const twice = random.sample(kills, Math.ceil(kills.length / TWICE)).map((kill): Point => {
    const when = random.pick(['before', 'after', 'torn'] as const);
    const number = random.integer(1, SECOND_WITHIN);
    return {
      id: `${kill.id}/then/${when}/${number}`,
      check: (trial) => tryKill(trial, rehearsed, kill, { when, number }),
    };
  });
  return [
    ...once,
    ...twice,
    { id: `${rehearsed.play.name}/strace`, check: (trial) => tryTrace(trial, rehearsed) },
  ];
}

function killsIn({ play }: Rehearsed, scene: Scene, random: Random): readonly Kill[] {
  return momentsOf(scene.operations, random).map((moment) => {
    const { when, name, number } = moment.order;
    return { scene, moment, id: `${play.name}/${scene.act.name}/${when}/${name}/${number}` };
  });
}

/** Checks that the shim has seen everything: no operation is missing from the points above. */
async function tryTrace(trial: Trial, { scenes }: Rehearsed): Promise<void> {
  if (!canTrace()) trial.skip('strace is not installed, or may not trace');
  const theatre = theatreOf(trial);
  scenes[0]?.enter(theatre.folder);
  for (const { act, operations } of scenes) {
    if (operations.length > 0) await traceAct(trial, theatre, act);
    else await playAct(theatre, act);
  }
}

async function tryKill(
  trial: Trial,
  { play, scenes }: Rehearsed,
  { scene, moment }: Kill,
  second?: KillOrder,
): Promise<void> {
  const theatre = theatreOf(trial);
  const { folder } = theatre;
  const { act } = scene;
  scene.enter(folder);
  const runsBefore = runsIn(folder);
  const killed = await playAct(theatre, act, moment.order);
  const kills: AtKill[] = [];
  if (killed.signal === null)
    trial.count('kills whose operation did not occur, because the run took another path');
  else {
    kills.push(lookAtKill(folder));
    trial.count(`kills at: ${moment.kind}`);
    await resumeWork(trial, { theatre, act, runsBefore, kills }, second);
  }
  await playOn(trial, { theatre, scenes, scene }, (after) => judge(play, folder, after, kills));
}

interface CutOff {
  readonly theatre: Theatre;
  readonly act: Act;
  readonly runsBefore: ReadonlySet<string>;
  readonly kills: AtKill[];
}

async function resumeWork(trial: Trial, cut: CutOff, second: KillOrder | undefined): Promise<void> {
  const { theatre, act, runsBefore, kills } = cut;
  if (isOver(act, theatre, runsBefore)) return;
  const ended = await performAgain(theatre, act, { runsBefore, order: second });
  if (ended.signal !== 'SIGKILL' || second === undefined) return;
  kills.push(lookAtKill(theatre.folder));
  trial.count('second kills');
  await resumeWork(trial, cut, undefined);
}
