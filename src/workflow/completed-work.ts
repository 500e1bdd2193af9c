/** What a run has completed, as far as a changed workflow must not touch it. */
import type { JournalEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { notedIn } from '../model/noted.ts';

export interface CompletedWork {
  /** Completed and skipped steps, and answered questions, except those inside completed items. */
  readonly done: ReadonlySet<StepKey>;
  /** Failed steps whose `on` was followed: what came next belongs to it. */
  readonly handled: ReadonlySet<StepKey>;
  /** Blocks that have started and are not completed; for a loop, its items. */
  readonly unfinished: ReadonlyMap<StepKey, readonly JsonValue[]>;
  /** Completed items of loops that are not completed. They stay as they are, whatever the workflow says now. */
  readonly items: ReadonlyMap<StepKey, ReadonlySet<number>>;
}

export function completedWork(events: readonly JournalEvent[]): CompletedWork {
  const done = new Set<StepKey>();
  const followed = new Set<StepKey>();
  const begun = new Map<StepKey, readonly JsonValue[]>();
  const items = new Map<StepKey, Set<number>>();
  for (const event of events) {
    if (event.type === 'question-answered') done.add(event.key);
    if (event.type !== 'step-ended' || !isJsonObject(event.output)) continue;
    const noted = notedIn(event);
    if (noted === undefined) {
      if (ownerOf(event.key) === event.key) keepIf(done, event.key, event.output['failure'] === undefined);
    } else if (noted.type === 'container') begun.set(noted.key, noted.items ?? []);
    else if (noted.type === 'item-completed') addItem(items, noted.key, noted.index);
    else if (noted.type === 'record' && noted.record.status !== undefined) {
      keepIf(done, noted.key, noted.record.status !== 'failed');
    } else if (event.key.endsWith('@goto')) followed.add(noted.key);
  }
  for (const key of done) {
    begun.delete(key);
    items.delete(key);
  }
  const isKept = (key: StepKey): boolean => isInside(key, items);
  return {
    done: new Set([...done].filter((key) => !isKept(key))),
    handled: new Set([...followed].filter((key) => !done.has(key) && !isKept(key))),
    unfinished: new Map([...begun].filter(([key]) => !isKept(key))),
    items: new Map([...items].filter(([key]) => !isKept(key))),
  };
}

function keepIf(keys: Set<StepKey>, key: StepKey, isKept: boolean): void {
  if (isKept) keys.add(key);
  else keys.delete(key);
}

function addItem(items: Map<StepKey, Set<number>>, loop: StepKey, index: number): void {
  const known = items.get(loop) ?? new Set();
  known.add(index);
  items.set(loop, known);
}

/** Whether the key lies inside one of these items. */
function isInside(key: StepKey, items: ReadonlyMap<StepKey, ReadonlySet<number>>): boolean {
  for (let at = key.indexOf('/'); at !== -1; at = key.indexOf('/', at + 1)) {
    const known = items.get(key.slice(0, at) as StepKey);
    if (known?.has(Number.parseInt(key.slice(at + 1), 10)) === true) return true;
  }
  return false;
}
