import type { RunEvent } from './event.ts';
import { loopOf, ownerOf, type StepKey } from './ids.ts';
import { isJsonObject } from './json.ts';
import type { Note } from './note.ts';

export type StepEnded = Extract<RunEvent, { type: 'step-ended' }>;

/** What a program put down, and the step that it speaks of. */
export type Noted = Note & { readonly key: StepKey };

/** Nothing for an event that is no note. */
export function notedIn(event: StepEnded): Noted | undefined {
  if (event.effect !== 'note' || !isJsonObject(event.output)) return undefined;
  const note = event.output['note'] as unknown as Note;
  return { ...note, key: note.type === 'item-completed' ? loopOf(event.key) : ownerOf(event.key) };
}
