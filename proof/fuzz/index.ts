/** Gives every parser of the product unlikely input, and shrinks what breaks it. */
import fc from 'fast-check';
import { type Suite, type Trial, Violation } from '../suite.ts';
import { loadParsers, type Parsers } from './parsers.ts';
import { TARGETS, type Target } from './targets.ts';

/** Number of inputs for a target with share 1. */
const RUNS = { quick: 60, full: 12_000 };
/** Number of points per target, each with its own seed. */
const POINTS = { quick: 1, full: 4 };

export const fuzz: Suite = {
  name: 'fuzz',
  title:
    'Workflow files, templates, values in scripts, agent streams, answers, hook events, documents and command lines that are nearly valid or entirely invalid: nothing breaks, nothing takes longer than a second, and a value passes through a shell unchanged.',
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
    expected: 'that it is parsed, or rejected with a reason',
    found: why,
    where: `${target.name}, given ${fc.stringify(found.counterexample?.[0])}`,
  });
}
