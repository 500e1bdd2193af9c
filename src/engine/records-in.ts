import { defined } from '../model/defined.ts';
import type { JournalEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject } from '../model/json.ts';
import type { Note } from '../model/note.ts';
import type { StepRecord } from '../model/record.ts';
import { StepCalls } from './step-calls.ts';

type ContainerKind = Extract<Note, { type: 'container' }>['kind'];

/** The last record of every step that top-level steps can refer to, by name. */
export function recordsIn(events: readonly JournalEvent[]): { readonly [name: string]: StepRecord } {
  const records: { [name: string]: StepRecord } = Object.create(null);
  const containers = new Map<string, ContainerKind>();
  const calls = new StepCalls();
  for (const event of events) {
    if (event.type !== 'step-ended' || !isJsonObject(event.output)) continue;
    const owner = ownerOf(event.key);
    const note = event.effect === 'note' ? (event.output['note'] as unknown as Note) : undefined;
    if (note?.type === 'container') containers.set(owner, note.kind);
    const name = visibleName(owner, containers);
    if (name === undefined) continue;
    if (note?.type === 'record') records[name] = { ...records[name], ...note.record } as StepRecord;
    else if (note === undefined && typeof event.output['exitCode'] === 'number') {
      records[name] = calls.add(event.key, {
        output: event.output as unknown as StepRecord,
        attempts: event.attempts,
        startedAt: event.startedAt,
        endedAt: event.at,
        durationMs: event.durationMs,
        ...defined({ spentBefore: event.spentBefore }),
      });
    }
  }
  return records;
}

/** Steps inside `parallel` and `repeat` are visible from outside; those inside `for_each` and called workflows are not. */
function visibleName(owner: StepKey, containers: ReadonlyMap<string, ContainerKind>): string | undefined {
  const segments = owner.split('/');
  for (let at = 0; at < segments.length - 1; at += 2) {
    const kind = containers.get(segments.slice(0, at + 1).join('/'));
    if (kind !== 'parallel' && kind !== 'repeat') return undefined;
  }
  return segments.length % 2 === 1 ? segments.at(-1)?.replace(/#\d+$/, '') : undefined;
}
