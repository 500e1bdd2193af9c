/** Makes each disk operation fail with a possible error, as the seed chooses, and resumes when the disk works again. */
import path from 'node:path';
import type { Act } from '../kill-everywhere/play.ts';
import { playOn } from '../kill-everywhere/play-on.ts';
import { PLAYS } from '../kill-everywhere/plays.ts';
import * as rehearsal from '../kill-everywhere/rehearse.ts';
import { perform, performAgain, runsIn, theatreOf } from '../kill-everywhere/stage.ts';
import { must, shortened } from '../must.ts';
import { refreshViews } from '../power-loss/refresh-views.ts';
import type { Ended } from '../program.ts';
import type { Context, Point, Suite, Trial } from '../suite.ts';
import { fullDiskPoints } from './full-disk.ts';
import { expectDone, type WorkDone, workDone } from './judge.ts';
import { chosenFaults, chosenReadingFaults, type Fault } from './plans.ts';

const QUICK_PLAYS = 2;
/** Per play. */
const QUICK_POINTS = 4;
/** Plays whose workflow takes another path after a failure: their result differs then. */
const TAKES_ANOTHER_WAY = /^(?:goto-cycle|graph|race|failed-and-resumed|waits)$/;
/** The workflow itself defines what happens to a failed item. */
const ENDS_SO = 'resuming would fail in the same way';
/** What the user added could not be noted as trusted. */
const ASKS_LATER = /warning: the next run asks whether to trust/;
/** A hook never stops the agent that calls it. */
const NEVER_FAILS = /^hook /;

/** The file loaded before the program, and the variable with its order. */
interface Rig {
  readonly file: string;
  readonly variable: string;
}
const CHANGING: Rig = { file: 'fail-at.cjs', variable: 'FAIL_AT' };
const READING: Rig = { file: 'fail-reading.cjs', variable: 'FAIL_READING' };

type Rehearsed = rehearsal.Rehearsed<WorkDone>;
type Scene = rehearsal.Scene<WorkDone>;

export const faults: Suite = {
  name: 'faults',
  title:
    'The disk refuses each operation with an error that it can end with, once or for good, refuses to be read, and a small one is filled: the failure is reported with its reason, nothing is reported as done that is not, and the work resumes to the same end once the disk is fixed.',
  async *points(context) {
    const isQuick = context.scale === 'quick';
    const plays = PLAYS.filter(({ name }) => !TAKES_ANOTHER_WAY.test(name));
    const chosen = isQuick ? context.random.fork('plays').sample(plays, QUICK_PLAYS) : plays;
    const wanted = chosen.filter(({ name }) => context.wants(name));
    for (const one of await rehearsal.rehearseAll(context, { plays: wanted, look: workDone })) {
      const points = pointsOf(one, context);
      yield* isQuick ? context.random.sample(points, QUICK_POINTS) : points;
    }
    if (context.wants('full-disk')) yield* fullDiskPoints(context);
  },
};

function pointsOf(rehearsed: Rehearsed, context: Context): readonly Point[] {
  const random = context.random.fork(rehearsed.play.name);
  const own = rehearsed.scenes.filter(({ act }) => act.isStage !== true);
  return own.flatMap((scene) => {
    const operations = scene.operations.filter(({ path: place }) => place.startsWith(`${scene.folder}/`));
    context.count('operations that may be refused', operations.length);
    const point = (fault: Fault, rig: Rig): Point => {
      const { code, kind, number, lasts } = fault;
      return {
        id: `${rehearsed.play.name}/${scene.act.name}/${kind}/${number}/${code}${lasts ? '/lasting' : ''}`,
        check: (trial: Trial) => tryFault(trial, rehearsed, { scene, fault, rig }),
      };
    };
    return [
      ...chosenFaults(operations, random).map((fault) => point(fault, CHANGING)),
      ...chosenReadingFaults(random.fork(`reading ${scene.act.name}`)).map((fault) => point(fault, READING)),
    ];
  });
}

async function tryFault(
  trial: Trial,
  { scenes }: Rehearsed,
  { scene, fault, rig }: { readonly scene: Scene; readonly fault: Fault; readonly rig: Rig },
): Promise<void> {
  const theatre = theatreOf(trial);
  const { folder } = theatre;
  const { act } = scene;
  scene.enter(folder);
  const runsBefore = runsIn(folder);
  const ended = await perform(theatre, act, {
    argv: act.argv,
    env: {
      NODE_OPTIONS: `--require=${path.join(trial.root, 'proof', 'rig', rig.file)}`,
      [rig.variable]: JSON.stringify({ folder, ...fault }),
    },
  });
  expectTold(act, ended, fault);
  const isDone = ended.exitCode === (act.exitCode ?? 0) && !NEVER_FAILS.test(act.argv.join(' '));
  if (`${ended.stdout}${ended.stderr}`.includes(ENDS_SO)) {
    trial.count('refusals that the workflow handles');
    return;
  }
  trial.count(`refused with ${fault.code}`);
  trial.count(isDone ? 'refusals that did not matter' : 'refusals reported');
  if (!isDone) await performAgain(theatre, act, { runsBefore });
  const isAskedLater = ASKS_LATER.test(ended.stderr);
  await playOn(trial, { theatre, scenes, scene, isAskedLater }, async (after) => {
    await refreshViews(theatre);
    await expectDone(folder, after, fault);
  });
}

function expectTold(act: Act, ended: Ended, { code }: Fault): void {
  const said = `${ended.stdout}${ended.stderr}`;
  const where = act.argv.join(' ');
  must(ended.exitCode !== null && ended.exitCode !== 70 && !/\n {4}at |internal error/.test(said), () => ({
    expected: 'a reported failure, and not a bug',
    found: shortened(`${ended.exitCode ?? ended.signal}\n${said}`),
    where,
  }));
  if (ended.exitCode === (act.exitCode ?? 0)) return;
  must(said.includes(code) && /error|failed|✗|❌/.test(said), () => ({
    expected: `that the reason is reported: ${code}`,
    found: shortened(`${ended.exitCode}\n${said}`),
    where,
  }));
}
