import { defined } from '../model/defined.ts';
import type { JournalEvent } from '../model/event.ts';
import { loopOf, ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject } from '../model/json.ts';
import type { Note } from '../model/note.ts';
import type { StepRecord } from '../model/record.ts';
import { PartsOfStep } from './parts-of-step.ts';
import { StepCalls } from './step-calls.ts';

type ContainerKind = Extract<Note, { type: 'container' }>['kind'];

/**
 * The last record of every step that top-level steps can refer to, by name. `withResults`: the steps whose results are wanted as well.
 */
export function recordsIn(
  events: readonly JournalEvent[],
  withResults: ReadonlySet<string> = new Set(),
): { readonly [name: string]: StepRecord } {
  const records: { [name: string]: StepRecord } = Object.create(null);
  const containers = new Map<string, ContainerKind>();
  const parts = new Map<string, PartsOfStep>();
  const calls = new StepCalls();
  for (const event of events) {
    if (event.type !== 'step-ended' || !isJsonObject(event.output)) continue;
    const owner = ownerOf(event.key);
    const note = event.effect === 'note' ? (event.output['note'] as unknown as Note) : undefined;
    const name = visibleName(owner, containers);
    if (note?.type === 'container') {
      containers.set(owner, note.kind);
      if (name !== undefined && withResults.has(name)) parts.set(owner, new PartsOfStep(note));
    } else if (note?.type === 'item-completed') parts.get(loopOf(event.key))?.itemCompleted(note.index);
    const part = partOf(owner, parts);
    if (name === undefined && part === undefined) continue;
    const change: Partial<StepRecord> | undefined =
      note?.type === 'record'
        ? note.record
        : note === undefined && typeof event.output['exitCode'] === 'number'
          ? calls.add(event.key, {
              output: event.output as unknown as StepRecord,
              attempts: event.attempts,
              startedAt: event.startedAt,
              endedAt: event.at,
              durationMs: event.durationMs,
              ...defined({ spentBefore: event.spentBefore }),
            })
          : undefined;
    if (change === undefined) continue;
    part?.within.recorded(part.name, { owner, change });
    if (name === undefined) continue;
    const results = parts.get(owner)?.results({ ...records[name], ...change } as StepRecord);
    const before = note?.type === 'record' ? records[name] : undefined;
    records[name] = { ...before, ...change, ...defined({ results }) } as StepRecord;
  }
  return records;
}

/** `Loop/3/Fix` → the part `3` of `Loop`. */
function partOf(
  owner: StepKey,
  parts: ReadonlyMap<string, PartsOfStep>,
): { readonly within: PartsOfStep; readonly name: string } | undefined {
  if (parts.size === 0) return undefined;
  const segments = owner.split('/');
  const within = parts.get(segments.slice(0, -2).join('/'));
  return within === undefined ? undefined : { within, name: segments.at(-2) ?? '' };
}

/** Steps inside `parallel`, `graph` and `repeat` are visible from outside; those inside `for_each` and called workflows are not. */
function visibleName(owner: StepKey, containers: ReadonlyMap<string, ContainerKind>): string | undefined {
  const segments = owner.split('/');
  for (let at = 0; at < segments.length - 1; at += 2) {
    const kind = containers.get(segments.slice(0, at + 1).join('/'));
    if (kind !== 'parallel' && kind !== 'graph' && kind !== 'repeat') return undefined;
  }
  return segments.length % 2 === 1 ? segments.at(-1)?.replace(/#\d+$/, '') : undefined;
}
