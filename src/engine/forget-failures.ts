import type { JournalEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { Spent } from '../model/record.ts';
import type { Recorded } from './recorded.ts';

/**
 * A failed program lists, as `retryKeys` in its output, the calls whose failure ended it. Resuming repeats those, and those that the
 * resume names (`again`), and answers all others from the journal.
 *
 * - For a step (`Build`, `Loop/0/Fix#2`), everything is forgotten: its output, its side records, everything inside it.
 * - For a side call (`Loop@ended`), only that call.
 * - For the containers around it, their notes, which followed from the failure. A branch around it counts as not ended.
 */
export function forgetFailures(
  recorded: Recorded,
  ended: Extract<JournalEvent, { type: 'run-ended' }> | undefined,
  others: readonly StepKey[] = [],
): void {
  const again = new Set([...retryKeys(ended), ...others]);
  if (again.size === 0) return;
  const around = containersAround(again);
  const isAgain = (key: StepKey): boolean =>
    again.has(key) || pathsTo(ownerOf(key)).some((path) => again.has(path));
  // The notes of containers followed from the failure, and P6.
  forgetCalls(recorded, isAgain, (key, effect) => effect === 'note' && around.has(ownerOf(key)));
  for (const key of [...recorded.ends.keys()]) if (around.has(key)) recorded.ends.delete(key);
  // A container that only sums up its children again starts nothing.
  const started = containersAround(new Set([...again].filter((key) => !key.endsWith('@ended'))));
  forgetStops(recorded, (key) => started.has(parentOf(key)));
}

/** Forgets these calls; what they cost and how long they took is kept. */
export function forgetCalls(
  recorded: Recorded,
  isForgotten: (key: StepKey) => boolean,
  isAlso: (key: StepKey, effect: string) => boolean = () => false,
): void {
  for (const [key, step] of recorded.steps) {
    if (isForgotten(key) || isAlso(key, step.effect)) runAgain(recorded, key);
  }
  for (const key of [...recorded.stopped]) if (isForgotten(key)) recorded.stopped.delete(key);
  for (const kept of [recorded.ends, recorded.answers, recorded.asked, recorded.times, recorded.sleeps]) {
    for (const key of [...kept.keys()]) if (isForgotten(key)) kept.delete(key);
  }
}

/** P7: what was cancelled in these branches runs after all. */
function forgetStops(recorded: Recorded, isForgotten: (key: StepKey) => boolean): void {
  const stops = new Set([...recorded.stopped].filter(isForgotten));
  for (const key of stops) recorded.stopped.delete(key);
  if (stops.size === 0) return;
  for (const [key, { output }] of recorded.steps) {
    const failure = isJsonObject(output) ? output['failure'] : undefined;
    if (!isJsonObject(failure) || failure['type'] !== 'cancelled') continue;
    if (pathsTo(key).some((path) => stops.has(path))) runAgain(recorded, key);
  }
}

function parentOf(key: StepKey): StepKey {
  return key.slice(0, Math.max(0, key.lastIndexOf('/'))) as StepKey;
}

/** Attempt numbers keep counting up, so that no log is overwritten. */
function runAgain(recorded: Recorded, key: StepKey): void {
  const step = recorded.steps.get(key);
  if (step === undefined) return;
  recorded.steps.delete(key);
  if (step.effect === 'note') return;
  recorded.open.set(key, {
    startedAt: step.startedAt,
    attempt: recorded.lastAttempts.get(key) ?? step.attempts,
    counted: 0,
    workedMs: step.durationMs,
    nextAt: step.at,
    spentBefore: [...(step.spentBefore ?? []), ...spentIn(step.output)],
  });
}

/** Costs are kept, even those of failures. */
export function spentIn(output: JsonValue): readonly Spent[] {
  const spent = isJsonObject(output) ? output['spent'] : undefined;
  return spent === undefined ? [] : [spent as unknown as Spent];
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function pathsTo(key: string): readonly StepKey[] {
  const paths: StepKey[] = [];
  for (let at = key.indexOf('/'); at !== -1; at = key.indexOf('/', at + 1))
    paths.push(key.slice(0, at) as StepKey);
  return [...paths, key as StepKey];
}

function containersAround(keys: ReadonlySet<StepKey>): ReadonlySet<StepKey> {
  return new Set([...keys].flatMap((key) => pathsTo(ownerOf(key))));
}

function retryKeys(ended: Extract<JournalEvent, { type: 'run-ended' }> | undefined): ReadonlySet<StepKey> {
  const output = ended?.output;
  const keys = isJsonObject(output) ? output['retryKeys'] : undefined;
  return new Set(Array.isArray(keys) ? (keys as StepKey[]) : []);
}
