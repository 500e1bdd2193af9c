/**
 * What a suite is. A suite states in one sentence what must hold, and lists the points at which that is tried: a kill before the 17th
 * rename of a run, a flipped bit in a record. The runner (`run-suite.ts`) tries them in parallel, keeps the folder of each point
 * that failed, and prints how to repeat it.
 *
 * P1 An id names the same trial for the same product, scale and seed, whatever else is run and in whatever order: randomness comes from
 *    `context.random` and `trial.random` only.
 * P2 A check judges the product from outside: by the files and processes it leaves, not with the code under test. The product is the
 *    repository at `context.root`, its `bin/` and `dist/`, so a copy with a planted bug is judged by its own suites.
 * P3 A check leaves nothing behind but its folders: no process, no other file.
 */
import type { Random } from './random.ts';

export type Scale = 'quick' | 'full';

export interface Suite {
  /** Kebab-case; the first part of the id by which a point is repeated. */
  readonly name: string;
  /** One sentence for the report: what is done to the product, and what must hold then. */
  readonly title: string;
  /** For one point, including its retries; default: 120 s. A point that takes longer is a violation: the product hangs. */
  readonly timeLimitMs?: number;
  /** Points at once per core: they wait most of the time. */
  readonly atOnce?: number;
  points(context: Context): Iterable<Point> | AsyncIterable<Point>;
}

export interface Point {
  /** Stable, without spaces: `loop/after/renameSync/17`. */
  readonly id: string;
  /** Throws `Violation` if the rule is broken; calls `trial.skip` if it cannot be tried. */
  check(trial: Trial): Promise<void> | void;
}

export interface Context {
  readonly seed: number;
  /** For choices about the whole suite, such as a sample of its points. */
  readonly random: Random;
  /** `quick` is what `npm test` runs: a sample that takes a few seconds. */
  readonly scale: Scale;
  /** Root of the product under test. */
  readonly root: string;
  /** Points tried at once. */
  readonly jobs: number;
  /** Whether points below this part of an id are requested, so that others need not be prepared. */
  wants(part: string): boolean;
  /** A new folder, removed when the suite is done. Its path is real: it contains no link. */
  folder(): string;
  /** Adds to a figure of the report: `count('kills at a rename')`. */
  count(name: string, by?: number): void;
  /** The report has the longest time of each name: `took('until the last process was gone', 140)`. */
  took(name: string, ms: number): void;
  /** A sentence for the report. */
  note(sentence: string): void;
}

/** One trial of one point. */
export interface Trial extends Pick<Context, 'root' | 'count' | 'took'> {
  /** For this point alone. */
  readonly random: Random;
  /** Aborted when the point takes too long or the whole proof is stopped. */
  readonly signal: AbortSignal;
  /** A new folder, removed if the check passes and kept otherwise. */
  folder(): string;
  /** The point cannot be tried here; the report counts it under this reason. */
  skip(reason: string): never;
}

export interface Finding {
  readonly expected: string;
  readonly found: string;
  /** A file, a step, a record: where to look first. */
  readonly where?: string;
}

/** A rule does not hold. */
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
