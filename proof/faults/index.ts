/** Lets the disk refuse each operation with each error it can end with, and goes on when it works again. */
import fs from 'node:fs';
import path from 'node:path';
import { readJournals } from '../kill-everywhere/journal.ts';
import type { Act, Play } from '../kill-everywhere/play.ts';
import { PLAYS } from '../kill-everywhere/plays.ts';
import {
  expectEnd,
  perform,
  playAct,
  setStage,
  type Theatre,
  wordsAfterKill,
} from '../kill-everywhere/stage.ts';
import { must, shortened } from '../must.ts';
import { refreshViews } from '../power-loss/refresh-views.ts';
import type { Ended } from '../program.ts';
import type { Context, Point, Suite, Trial } from '../suite.ts';
import { fullDiskPoints } from './full-disk.ts';
import { expectDone, type WorkDone, workDone } from './judge.ts';
import { allFaults, type Fault } from './plans.ts';

const QUICK_PLAYS = 2;
/** Of each play. */
const POINTS = { quick: 4, full: 30 };
/** Plays whose workflow goes another way after a failure: what it comes to is another thing then. */
const TAKES_ANOTHER_WAY = /^(?:goto-cycle|failed-and-resumed|waits)$/;
/** The workflow says itself what becomes of an item that has failed. */
const ENDS_SO = 'resuming would end in the same way';
/** It does not stop the agent it is called by, whatever happens. */
const NEVER_FAILS = /^hook /;

export const faults: Suite = {
  name: 'faults',
  title:
    'The disk refuses each operation with each error that it can end with, once and for good, and a small one is filled: the failure is told with its reason, nothing is called done that is not, and the work goes on to the same end once it is put right.',
  async *points(context) {
    const isQuick = context.scale === 'quick';
    const plays = PLAYS.filter(({ name }) => !TAKES_ANOTHER_WAY.test(name));
    const chosen = isQuick ? context.random.fork('plays').sample(plays, QUICK_PLAYS) : plays;
    for (const play of chosen.filter(({ name }) => context.wants(name))) {
      yield* pointsOf(context, await rehearse(context, play));
    }
    if (context.wants('full-disk')) yield* fullDiskPoints(context);
  },
};

interface Rehearsed {
  readonly play: Play;
  readonly done: WorkDone;
  readonly operations: ReadonlyMap<Act, readonly { readonly kind: string; readonly path: string }[]>;
}

async function rehearse(context: Context, play: Play): Promise<Rehearsed> {
  const folder = context.folder();
  const theatre: Theatre = { root: context.root, folder, signal: new AbortController().signal };
  setStage(play, folder);
  const operations = new Map<Act, readonly { readonly kind: string; readonly path: string }[]>();
  for (const act of play.acts) {
    const trace = path.join(folder, '.proof', `trace-${act.name}`);
    const isWatched = act.prepares !== true && act.isStage !== true;
    await playAct(theatre, act, isWatched ? { trace } : undefined);
    if (!isWatched || !fs.existsSync(trace)) continue;
    const lines = fs.readFileSync(trace, 'utf8').split('\n').slice(0, -1);
    const all: { kind: string; path: string }[] = lines.map((line) => JSON.parse(line));
    operations.set(
      act,
      all.filter((operation) => operation.path.startsWith(`${folder}/`)),
    );
  }
  return { play, done: workDone(folder), operations };
}

function pointsOf(context: Context, rehearsed: Rehearsed): readonly Point[] {
  const { play, operations } = rehearsed;
  const all = [...operations].flatMap(([act, list]) => allFaults(list).map((fault) => ({ act, fault })));
  if (context.scale === 'full') context.count(`faults that may happen: ${play.name}`, all.length);
  const chosen = context.random.fork(play.name).sample(all, POINTS[context.scale]);
  return chosen.map(({ act, fault }) => {
    const { code, kind, number, lasts } = fault;
    return {
      id: `${play.name}/${act.name}/${kind}/${number}/${code}${lasts ? '/lasting' : ''}`,
      check: (trial) => tryFault(trial, rehearsed, { act, fault }),
    };
  });
}

async function tryFault(
  trial: Trial,
  rehearsed: Rehearsed,
  { act: refused, fault }: { readonly act: Act; readonly fault: Fault },
): Promise<void> {
  const { play } = rehearsed;
  const theatre: Theatre = { root: trial.root, folder: trial.folder(), signal: trial.signal };
  const { folder } = theatre;
  setStage(play, folder);
  for (const act of play.acts) {
    if (act !== refused) {
      await playAct(theatre, act);
      continue;
    }
    const runsBefore = new Set(readJournals(folder).map(({ runId }) => runId));
    const ended = await perform(theatre, act, {
      argv: act.argv,
      env: {
        NODE_OPTIONS: `--require=${path.join(trial.root, 'proof', 'rig', 'fail-at.cjs')}`,
        FAIL_AT: JSON.stringify({ folder, ...fault }),
      },
    });
    expectTold(act, ended, fault);
    const isDone = ended.exitCode === (act.exitCode ?? 0) && !NEVER_FAILS.test(act.argv.join(' '));
    if (`${ended.stdout}${ended.stderr}`.includes(ENDS_SO)) {
      trial.count('refusals that the workflow has an end for');
      return;
    }
    trial.count(isDone ? 'refusals that did not matter' : 'refusals told');
    if (!isDone) await goOn(theatre, act, runsBefore);
  }
  await refreshViews(theatre);
  await expectDone(folder, rehearsed.done);
}

function expectTold(act: Act, ended: Ended, { code }: Fault): void {
  const said = `${ended.stdout}${ended.stderr}`;
  const where = act.argv.join(' ');
  must(ended.exitCode !== null && ended.exitCode !== 70 && !/\n {4}at |internal error/.test(said), () => ({
    expected: 'a failure that is told, and no bug',
    found: shortened(`${ended.exitCode ?? ended.signal}\n${said}`),
    where,
  }));
  if (ended.exitCode === (act.exitCode ?? 0)) return;
  must(said.includes(code) && /error|failed|✗/.test(said), () => ({
    expected: `that the reason is told: ${code}`,
    found: shortened(`${ended.exitCode}\n${said}`),
    where,
  }));
}

async function goOn(theatre: Theatre, act: Act, runsBefore: ReadonlySet<string>): Promise<void> {
  const words = wordsAfterKill(act, theatre, runsBefore);
  const ended = await perform(theatre, act, words);
  if (act.mayRefuse !== true || ended.exitCode === null || ended.exitCode === 70)
    expectEnd(act, ended, words.argv);
}
