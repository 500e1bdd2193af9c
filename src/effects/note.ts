import type { Effect } from '../engine/durable.ts';
import type { Note } from '../model/note.ts';
import type { EffectOutput } from '../model/record.ts';

/** Does nothing: its record in the journal is the point. */
export const note: Effect<Note, EffectOutput & { readonly note: Note }> = async (noted) => ({ note: noted });
