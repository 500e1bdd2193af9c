import { programCases } from '../site/programs.ts';
import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { type Body, ENDS, type End, endPoint } from './ends.ts';
import { FLOODS, floodPoint } from './floods.ts';
import { OUTPUTS, outputPoint } from './outputs.ts';

export const processes: Suite = {
  name: 'processes',
  title:
    'Agents and commands that do not end, hide, become daemons, keep starting others or print endlessly: nothing of them is left ten seconds after any end, and the program neither hangs nor grows.',
  timeLimitMs: 600_000,
  atOnce: 3,
  points: tidied(pointsOf),
};

function* pointsOf({ scale, random }: Context): Generator<Point> {
  const all = [...ends()];
  if (scale === 'quick') {
    yield* random.sample(
      all.filter(({ id }) => id.endsWith('obedient')),
      6,
    );
    yield endPoint('workflow', 'cancel', 'stubborn');
    for (const body of ['daemons', 'without-proc'])
      yield* random.sample(
        all.filter(({ id }) => id.endsWith(body)),
        1,
      );
    yield* random.sample(
      [...outputs()].filter(({ id }) => !id.includes('never-exits')),
      4,
    );
    yield* random.sample(FLOODS, 2).map((flood) => floodPoint(flood, 64));
    return;
  }
  yield* [...all, ...outputs()];
  for (const flood of FLOODS) yield floodPoint(flood, flood.name === 'command' ? 10_000 : 400);
}

function* ends(): Generator<Point> {
  for (const { name } of programCases()) {
    for (const end of ENDS) {
      // They have no option for such a limit.
      if (end === 'timed-out' && name === 'session') continue;
      if (end === 'idle' && (name === 'session' || name === 'phases')) continue;
      for (const body of bodiesFor(end)) yield endPoint(name, end, body);
    }
  }
}

function* outputs(): Generator<Point> {
  for (const { name } of programCases()) {
    for (const output of OUTPUTS)
      if (output.isSlow !== true || name === 'workflow' || name === 'iterate')
        yield outputPoint(name, output);
  }
}

function bodiesFor(end: End): readonly Body[] {
  const plain: readonly Body[] = ['obedient', 'stubborn', 'daemons'];
  const hard: readonly Body[] = end === 'ctrl-c' || end === 'kill-resume' ? ['breeding', 'standstill'] : [];
  // Leftovers of a process that exits on its own are not found there, and a second Ctrl-C leaves no time for `ps`.
  const isFoundByPs = !['done', 'failed', 'ctrl-c-twice'].includes(end);
  return [...plain, ...hard, ...(isFoundByPs ? (['without-proc'] as const) : [])];
}
