/** Tries the points of one suite, several at once, and reports the findings. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { crowding } from './crowding.ts';
import { createRandom } from './random.ts';
import type { FoundViolation, SuiteResult } from './results.ts';
import { type Context, type Point, type Scale, Skipped, type Suite, type Trial, Violation } from './suite.ts';

export interface RunOptions {
  readonly seed: number;
  readonly scale: Scale;
  readonly root: string;
  readonly jobs: number;
  /** Only the point with this id, or those below it. */
  readonly only?: string;
  /** Stop at the first violation. */
  readonly untilFound?: boolean;
  /** At most this many points, chosen by the seed. */
  readonly most?: number;
  readonly signal?: AbortSignal;
  onProgress?(progress: Progress): void;
  /** Called at once: a full run takes a while. */
  onViolation?(violation: FoundViolation): void;
}

export interface Progress {
  readonly suite: string;
  readonly done: number;
  /** Unknown until all points are named. */
  readonly total?: number;
  readonly violations: number;
}

const TIME_LIMIT_MS = 120_000;
/** More would say the same, and each keeps a folder. */
const MOST_VIOLATIONS = 50;

/** The id of a violation that was found before there were points: even the undisturbed work fails. */
const BEFORE_POINTS = 'undisturbed';

/** The point does not exist for this product, seed and scale. */
export class NoSuchPoint extends Error {}

export async function runSuite(suite: Suite, options: RunOptions): Promise<SuiteResult> {
  const began = performance.now();
  const { seed, scale, root, jobs } = options;
  const random = createRandom(`${seed}/${suite.name}`);
  const figures: Record<string, number> = {};
  const longest: Record<string, number> = {};
  const skipped: Record<string, number> = {};
  const notes: string[] = [];
  const violations: FoundViolation[] = [];
  const shared: string[] = [];
  const count = (name: string, by = 1): void => add(figures, name, by);
  const took = (name: string, ms: number): void => {
    longest[name] = Math.max(longest[name] ?? 0, Math.round(ms));
  };
  const context: Context = {
    ...{ seed, scale, root, jobs, count, took },
    random,
    wants: (part) => options.only === undefined || isBelow(options.only, part) || isBelow(part, options.only),
    folder: () => temporaryFolder(shared),
    note: (sentence) => notes.push(sentence),
  };
  const enough = options.untilFound === true ? 1 : MOST_VIOLATIONS;
  let done = 0;
  let tried = 0;
  const tell = (total?: number): void =>
    options.onProgress?.({
      ...{ suite: suite.name, done, violations: violations.length },
      ...(total === undefined ? {} : { total }),
    });

  const tryPoint = async (point: Point): Promise<void> => {
    const folders: string[] = [];
    try {
      await checkWithin(point, {
        limitMs: suite.timeLimitMs ?? TIME_LIMIT_MS,
        outer: options.signal,
        trial: (signal) => ({
          ...{ root, count, took, signal },
          random: random.fork(point.id),
          folder: () => temporaryFolder(folders),
          skip: (reason) => {
            throw new Skipped(reason);
          },
        }),
      });
      tried += 1;
      remove(folders);
    } catch (problem) {
      if (options.signal?.aborted === true) return;
      if (problem instanceof Skipped) {
        add(skipped, problem.message, 1);
        remove(folders);
        return;
      }
      tried += 1;
      const violation = violationOf(point, problem, folders[0]);
      violations.push(violation);
      options.onViolation?.(violation);
    }
  };

  try {
    tell();
    const all = await allPoints(suite.points(context), options.only).catch((problem) => {
      if (!(problem instanceof Violation)) throw problem;
      violations.push({ id: BEFORE_POINTS, ...problem.finding });
      return [];
    });
    // Shuffled: a frequent problem shows early, and dependencies between points do not stay hidden.
    const points = random.fork('order').shuffle(all).slice(0, options.most);
    tell(points.length);
    const left = points.values();
    const lane = async (): Promise<void> => {
      for (const point of left) {
        if (options.signal?.aborted === true || violations.length >= enough) return;
        await tryPoint(point);
        done += 1;
        tell(points.length);
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, jobs) * (suite.atOnce ?? 1) }, lane));
    if (options.signal?.aborted === true)
      notes.push(`interrupted: ${tried} of ${points.length} points were tried`);
  } finally {
    remove(shared);
  }
  if (violations.length >= MOST_VIOLATIONS) notes.push(`stopped after ${MOST_VIOLATIONS} violations`);
  return {
    ...{ name: suite.name, title: suite.title, seed, scale },
    ...{ tried, violations, skipped, figures, longest, notes },
    durationMs: Math.round(performance.now() - began),
    endedAt: new Date().toISOString(),
  };
}

async function allPoints(
  points: Iterable<Point> | AsyncIterable<Point>,
  only: string | undefined,
): Promise<readonly Point[]> {
  const found = new Map<string, Point>();
  for await (const point of points) {
    if (found.has(point.id)) throw new Error(`two points have the id \`${point.id}\``);
    found.set(point.id, point);
  }
  const asked = [...found.values()].filter(({ id }) => only === undefined || isBelow(id, only));
  if (only !== undefined && asked.length === 0)
    throw new NoSuchPoint(
      `unknown point \`${only}\`; if a program does several things at once their order may differ: try a shorter part of the id`,
    );
  return asked;
}

/** `loop/after/renameSync/17` is below `loop/after`, and below itself. */
function isBelow(id: string, part: string): boolean {
  return id === part || id.startsWith(`${part}/`);
}

interface Within {
  readonly limitMs: number;
  readonly outer: AbortSignal | undefined;
  trial(signal: AbortSignal): Trial;
}

/** Ends even if the check itself hangs: the signal stops what it started. */
async function checkWithin(point: Point, { limitMs, outer, trial }: Within): Promise<void> {
  const stop = new AbortController();
  const forward = (): void => stop.abort(outer?.reason);
  outer?.addEventListener('abort', forward, { once: true });
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const lookIn = (ms: number): void => {
    timer = setTimeout(() => {
      const tookMs = performance.now() - began;
      const left = limitMs * crowding() - tookMs;
      if (left > 0) return lookIn(left);
      return stop.abort(
        new Violation({
          expected: `an end within ${limitMs / 1000} s, later if the machine is busy`,
          found: `that it is still running after ${Math.round(tookMs / 1000)} s`,
        }),
      );
    }, ms);
  };
  lookIn(limitMs);
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
  });
  try {
    await Promise.race([Promise.resolve(point.check(trial(stop.signal))), stopped]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', forward);
  }
}

function violationOf(point: Point, problem: unknown, folder: string | undefined): FoundViolation {
  const kept = folder === undefined ? {} : { folder };
  if (problem instanceof Violation) return { id: point.id, ...problem.finding, ...kept };
  const found = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
  return { id: point.id, expected: 'a check that ends', found, ...kept };
}

function temporaryFolder(kept: string[]): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-proof-')));
  kept.push(folder);
  return folder;
}

function remove(folders: readonly string[]): void {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function add(figures: Record<string, number>, name: string, by: number): void {
  figures[name] = (figures[name] ?? 0) + by;
}
