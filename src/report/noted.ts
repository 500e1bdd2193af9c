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
  return { ...note, key: ownerOf(event.key) } as unknown as Noted;
}

/** Effects whose output a person would call a step. */
export function isShown(effect: string): boolean {
  return effect.startsWith('run-') || effect === 'wait-for-files';
}
