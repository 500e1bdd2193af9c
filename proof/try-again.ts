/** Tries the points at which a saved run found a violation again, with the program as it is now. */
import type { FixedViolation, FoundViolation, SavedSuite, Setting } from './results.ts';
import { NoSuchPoint, type RunOptions, runSuite } from './run-suite.ts';
import type { Suite } from './suite.ts';

/** A violation that does not occur any more is listed as fixed. The others stay as they were found. */
export async function tryAgain(
  suite: Suite,
  saved: SavedSuite,
  options: Omit<RunOptions, 'only'> & { readonly setting: Setting },
): Promise<SavedSuite> {
  const violations: FoundViolation[] = [];
  const fixed: FixedViolation[] = [...(saved.fixed ?? [])];
  /** Part of an id → whether a violation was found there. */
  const done = new Map<string, boolean>();
  for (const violation of saved.violations) {
    const part = await nearestPart(violation.id, async (only) => {
      if (done.has(only)) return;
      const result = await runSuite(suite, { ...options, only });
      done.set(only, result.violations.length > 0);
    });
    if (part === undefined || done.get(part) !== false) violations.push(violation);
    else {
      const { folder: _folder, ...rest } = violation;
      fixed.push({ ...rest, tried: part, setting: options.setting });
    }
  }
  return { ...saved, violations, fixed };
}

/** Another version may do its operations in another order: then all points below a shorter part of the id are tried. */
async function nearestPart(
  id: string,
  attempt: (part: string) => Promise<void>,
): Promise<string | undefined> {
  for (let part = id; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('/')))) {
    try {
      await attempt(part);
      return part;
    } catch (problem) {
      if (!(problem instanceof NoSuchPoint)) throw problem;
    }
  }
  return undefined;
}
