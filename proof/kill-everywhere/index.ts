/** Kills the program before, after and within every operation on the disk that it makes, and goes on. */
import fs from 'node:fs';
import path from 'node:path';
import type { Context, Point, Suite, Trial } from '../suite.ts';
import { readJournals } from './journal.ts';
import { type AtKill, judge, lookAtKill, type Undisturbed, undisturbed } from './judge.ts';
import type { Act, Play } from './play.ts';
import { PLAYS } from './plays.ts';
import {
  expectEnd,
  isOver,
  type KillOrder,
  perform,
  playAct,
  setStage,
  type Theatre,
  wordsAfterKill,
} from './stage.ts';
import { canTrace, traceAct } from './strace.ts';

export interface Operation {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
  readonly to?: string;
  readonly number: number;
  readonly size?: number;
}

interface Rehearsed {
  readonly play: Play;
  readonly undisturbed: Undisturbed;
  /** The operations of each act that may be killed. */
  readonly operations: ReadonlyMap<Act, readonly Operation[]>;
}

interface KillPoint {
  readonly act: Act;
  readonly id: string;
  readonly kind: string;
  readonly order: KillOrder;
}

const QUICK_PLAYS = 5;
const QUICK_POINTS = 24;
/** One of so many points is tried a second time with another kill while it is gone on with. */
const TWICE = 8;
/** The second kill is at one of so many operations. */
const SECOND_WITHIN = 80;

export const killEverywhere: Suite = {
  name: 'kill-everywhere',
  title:
    'SIGKILL before, after and within every operation on the disk: gone on with, no recorded result is lost, no completed step runs again, and the end is that of an undisturbed run.',
  async *points(context) {
    const chosen =
      context.scale === 'quick' ? context.random.fork('plays').sample(PLAYS, QUICK_PLAYS) : PLAYS;
    const plays = chosen.filter(({ name }) => context.wants(name));
    const all = (await rehearseAll(context, plays)).flatMap((one) => pointsOf(context, one));
    yield* context.scale === 'quick' ? context.random.sample(all, QUICK_POINTS) : all;
  },
};

async function rehearseAll(context: Context, plays: readonly Play[]): Promise<readonly Rehearsed[]> {
  const rehearsed = new Map<Play, Rehearsed>();
  const left = plays.values();
  const lane = async (): Promise<void> => {
    for (const play of left) rehearsed.set(play, await rehearse(context, play));
  };
  await Promise.all(Array.from({ length: context.jobs }, lane));
  return plays.flatMap((play) => rehearsed.get(play) ?? []);
}

async function rehearse(context: Context, play: Play): Promise<Rehearsed> {
  const folder = context.folder();
  const theatre: Theatre = { root: context.root, folder, signal: new AbortController().signal };
  setStage(play, folder);
  const operations = new Map<Act, readonly Operation[]>();
  for (const act of play.acts) {
    const trace = path.join(folder, '.proof', `trace-${act.name}`);
    const watched = act.prepares !== true && act.isStage !== true;
    await playAct(theatre, act, watched ? { trace } : undefined);
    if (watched) operations.set(act, readTrace(trace));
  }
  return { play, undisturbed: undisturbed(folder), operations };
}

function readTrace(file: string): readonly Operation[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function pointsOf(context: Context, rehearsed: Rehearsed): readonly Point[] {
  const kills = [...rehearsed.operations].flatMap(([act, operations]) =>
    operations.flatMap((operation) => killsAt(rehearsed.play, act, operation)),
  );
  const random = context.random.fork(`twice/${rehearsed.play.name}`);
  const once = kills.map(
    ({ id, ...kill }): Point => ({ id, check: (trial) => tryKill(trial, rehearsed, kill) }),
  );
  const twice = random.sample(kills, Math.ceil(kills.length / TWICE)).map(({ id, ...kill }): Point => {
    const when = random.pick(['before', 'after', 'torn'] as const);
    const number = random.integer(1, SECOND_WITHIN);
    const second = { when, number };
    return { id: `${id}/then/${when}/${number}`, check: (trial) => tryKill(trial, rehearsed, kill, second) };
  });
  return [
    ...once,
    ...twice,
    { id: `${rehearsed.play.name}/strace`, check: (trial) => tryTrace(trial, rehearsed) },
  ];
}

/** The shim has seen everything: no operation was left out of the points above. */
async function tryTrace(trial: Trial, { play, operations }: Rehearsed): Promise<void> {
  if (!canTrace()) trial.skip('strace is not there, or may not trace');
  const theatre: Theatre = { root: trial.root, folder: trial.folder(), signal: trial.signal };
  setStage(play, theatre.folder);
  for (const act of play.acts) {
    if (operations.has(act)) await traceAct(trial, theatre, act);
    else await playAct(theatre, act);
  }
}

function killsAt(play: Play, act: Act, { name, kind, number, size }: Operation): readonly KillPoint[] {
  const moments = ['before', 'after', ...((size ?? 0) > 1 ? (['torn'] as const) : [])] as const;
  return moments.map((when) => ({
    ...{ act, kind },
    id: `${play.name}/${act.name}/${when}/${name}/${number}`,
    order: { when, name, number },
  }));
}

async function tryKill(
  trial: Trial,
  { play, undisturbed: expected }: Rehearsed,
  kill: Omit<KillPoint, 'id'>,
  second?: KillOrder,
): Promise<void> {
  const theatre: Theatre = { root: trial.root, folder: trial.folder(), signal: trial.signal };
  setStage(play, theatre.folder);
  const kills: AtKill[] = [];
  for (const act of play.acts) {
    if (act !== kill.act) {
      await playAct(theatre, act);
      continue;
    }
    const runsBefore = new Set(readJournals(theatre.folder).map(({ runId }) => runId));
    const killed = await playAct(theatre, act, kill.order);
    if (killed.signal === null) {
      trial.count('kills whose operation did not come, as it went another way this time');
      continue;
    }
    kills.push(lookAtKill(theatre.folder));
    trial.count(`kills at: ${kill.kind}`);
    await goOn(trial, { theatre, act, runsBefore, kills }, second);
  }
  await judge(play, theatre.folder, expected, kills);
}

interface CutOff {
  readonly theatre: Theatre;
  readonly act: Act;
  readonly runsBefore: ReadonlySet<string>;
  readonly kills: AtKill[];
}

async function goOn(trial: Trial, cut: CutOff, second: KillOrder | undefined): Promise<void> {
  const { theatre, act, runsBefore, kills } = cut;
  if (isOver(act, theatre, runsBefore)) return;
  const words = wordsAfterKill(act, theatre, runsBefore);
  const ended = await perform(theatre, act, { ...words, ...(second === undefined ? {} : { order: second }) });
  if (ended.signal === 'SIGKILL' && second !== undefined) {
    kills.push(lookAtKill(theatre.folder));
    trial.count('second kills');
    return goOn(trial, cut, undefined);
  }
  if (act.mayRefuse !== true || ended.exitCode === null || ended.exitCode === 70)
    expectEnd(act, ended, words.argv);
}
