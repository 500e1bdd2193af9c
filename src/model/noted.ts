import type { RunEvent } from './event.ts';
import { loopOf, ownerOf, type StepKey } from './ids.ts';
import { isJsonObject } from './json.ts';
import type { Note } from './note.ts';

export type StepEnded = Extract<RunEvent, { type: 'step-ended' }>;

/** A note and the step it is about. */
export type Noted = Note & { readonly key: StepKey };

/** Several views look at one event after the other. */
let lastRead: { readonly event: StepEnded; readonly noted: Noted } | undefined;

/** Undefined if the event is not a note. */
export function notedIn(event: StepEnded): Noted | undefined {
  if (event.effect !== 'note') return undefined;
  if (lastRead?.event === event) return lastRead.noted;
  if (!isJsonObject(event.output)) return undefined;
  const noted = withKey(event.key, event.output['note'] as unknown as Note);
  lastRead = { event, noted };
  return noted;
}

function withKey(key: StepKey, note: Note): Noted {
  // The most frequent note of a long run: V8 copies parsed JSON slowly.
  if (note.type === 'item-completed') return { key: loopOf(key), type: note.type, index: note.index };
  return { key: ownerOf(key), ...note };
}
