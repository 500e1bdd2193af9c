import type { RunEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';

export type StepEnded = Extract<RunEvent, { type: 'step-ended' }>;

/** What a program put down about one of its steps, as far as views show it. */
export type Noted = { readonly key: StepKey } & (
  | { readonly type: 'record'; readonly record: Partial<StepRecord> }
  | { readonly type: 'container'; readonly kind: string; readonly items?: readonly unknown[] }
  | { readonly type: 'item-completed'; readonly index: number }
  | { readonly type: 'decision'; readonly message: string }
);

/** Nothing for an event that is no note. */
export function notedIn(event: StepEnded): Noted | undefined {
  if (event.effect !== 'note' || !isJsonObject(event.output)) return undefined;
  const { note } = event.output;
  if (!isJsonObject(note)) return undefined;
  const key = ownerOf(event.key);
  const isOfItem = note['type'] === 'item-completed';
  return { ...note, key: isOfItem ? loopOf(key, Number(note['index'])) : key } as unknown as Noted;
}

/** What is said of an item may stand beside its steps, `Loop/0/item`, or at the loop itself. */
function loopOf(key: StepKey, index: number): StepKey {
  const segments = key.split('/');
  return segments.at(-2) === String(index) ? (segments.slice(0, -2).join('/') as StepKey) : key;
}

/** Effects whose output a person would call a step. */
export function isShown(effect: string): boolean {
  return effect.startsWith('run-') || effect === 'wait-for-files';
}
