/**
 * What a suite is. A suite says in one sentence what must hold, and names the points at which that is tried: a kill before the 17th
 * rename of a run, a flipped bit in a record. The runner (`run-suite.ts`) tries them side by side, keeps the folder of each point at
 * which it did not hold, and says how to repeat it.
 *
 * P1 An id names the same trial for the same product, scale and seed, whatever else is run and in whatever order: chance comes from
 *    `context.random` and `trial.random` only.
 * P2 A check judges the product from outside: by the files and processes it leaves, not with the code it puts to the test. The product is the
 *    repository at `context.root`, its `bin/` and `dist/`, so a copy with a planted bug is judged by its own suites.
 * P3 A check leaves nothing behind but its folders: no process, no file elsewhere.
 */
import type { Random } from './random.ts';

export type Scale = 'quick' | 'full';

export interface Suite {
  /** Kebab-case; the first part of the id by which a point is repeated. */
  readonly name: string;
  /** One sentence for the report: what is done to the product, and what must hold then. */
  readonly title: string;
  /** Of one point, its retries included; 120 s where absent. A point that takes longer is a violation: the product hangs. */
  readonly timeLimitMs?: number;
  /** So many times as many points at once as cores are given: they wait most of the time. */
  readonly atOnce?: number;
  points(context: Context): Iterable<Point> | AsyncIterable<Point>;
}

export interface Point {
  /** Stable, without blanks: `loop/after/renameSync/17`. */
  readonly id: string;
  /** Throws `Violation` where what must hold does not; calls `trial.skip` where it cannot be tried. */
  check(trial: Trial): Promise<void> | void;
}

export interface Context {
  readonly seed: number;
  /** For choices about the whole suite, such as a sample of its points. */
  readonly random: Random;
  /** `quick` is what `npm test` runs: a sample that takes a few seconds. */
  readonly scale: Scale;
  /** Of the product under proof. */
  readonly root: string;
  /** Points tried at once. */
  readonly jobs: number;
  /** Whether points below this part of an id are asked for: making the others ready would be in vain. */
  wants(part: string): boolean;
  /** A new folder, gone when the suite is done. Its path is real: no link in it. */
  folder(): string;
  /** Adds to a figure of the report: `count('kills at a rename')`. */
  count(name: string, by?: number): void;
  /** A sentence for the report. */
  note(sentence: string): void;
}

/** One try of one point. */
export interface Trial extends Pick<Context, 'root' | 'count'> {
  /** Of this point alone. */
  readonly random: Random;
  /** Ends when the point takes too long or the whole proof is stopped. */
  readonly signal: AbortSignal;
  /** A new folder, gone when the check has passed and kept when it has not. */
  folder(): string;
  /** The point cannot be tried here; the report counts it under this reason. */
  skip(reason: string): never;
}

export interface Finding {
  readonly expected: string;
  readonly found: string;
  /** A file, a step, a record: what to look at first. */
  readonly where?: string;
}

/** What must hold does not. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(`expected ${finding.expected}, found ${finding.found}`);
    this.finding = finding;
  }
}

/** Thrown by `trial.skip`. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
