/** Gives every reader of the product what nobody would write, and makes what breaks it as small as it can be. */
import fc from 'fast-check';
import { type Suite, type Trial, Violation } from '../suite.ts';
import { loadParsers, type Parsers } from './parsers.ts';
import { TARGETS, type Target } from './targets.ts';

/** Of a target with share 1. */
const RUNS = { quick: 60, full: 12_000 };
/** A target is tried in so many points, each with a seed of its own. */
const POINTS = { quick: 1, full: 4 };

export const fuzz: Suite = {
  name: 'fuzz',
  title:
    'Workflow files, templates, values in scripts, agent streams, answers, hook events, documents and command lines that are nearly right or not at all: nothing breaks, nothing takes longer than a second, and a value comes out of a shell as it went in.',
  timeLimitMs: 300_000,
  async *points(context) {
    const parsers = await loadParsers(context.root, context.folder());
    const { scale } = context;
    for (const target of TARGETS) {
      const runs = Math.max(3, Math.round((RUNS[scale] * target.share) / POINTS[scale]));
      for (let index = 0; index < POINTS[scale]; index += 1)
        yield {
          id: `${target.name}/${index}`,
          check: (trial) => tryTarget(trial, { target, parsers, runs }),
        };
    }
  },
};

interface Fuzzing {
  readonly target: Target;
  readonly parsers: Parsers;
  readonly runs: number;
}

async function tryTarget(trial: Trial, { target, parsers, runs }: Fuzzing): Promise<void> {
  const { root, signal } = trial;
  const property = target.property({ root, parsers, signal, folder: trial.folder() });
  const found = await fc.check(property, { seed: trial.random.integer(0, 0x7fff_ffff), numRuns: runs });
  trial.count(`given: ${target.name}`, found.numRuns);
  if (!found.failed) return;
  const why =
    found.errorInstance instanceof Error ? found.errorInstance.message : String(found.errorInstance);
  throw new Violation({
    expected: 'that it is read, or refused with a reason',
    found: why,
    where: `${target.name}, given ${fc.stringify(found.counterexample?.[0])}`,
  });
}
