import type { JsonValue } from './json.ts';
import type { StepRecord } from './record.ts';

/**
 * A fact derived by the program and recorded with the effect `note` for views and `explain`. It belongs to the step
 * that owns its key: `Build@record` to `Build`; a note on an item, `Loop/3/item@done`, to the loop.
 */
export type Note =
  /** A step without an effect of its own, or a decision made after one: replaces those fields of its record. */
  | { readonly type: 'record'; readonly record: Partial<StepRecord> }
  /** A step that contains others: how its children are shown. */
  | {
      readonly type: 'container';
      readonly kind: 'for-each' | 'repeat' | 'parallel' | 'graph' | 'call';
      /** What it is called, if its key does not say that. */
      readonly title?: string;
      readonly items?: readonly JsonValue[];
      /** For a `parallel` or a `graph`, in the order of the file. */
      readonly branches?: readonly string[];
      /** For a `graph`: what each step waits for, if anything. */
      readonly needs?: { readonly [step: string]: readonly string[] };
    }
  | { readonly type: 'item-completed'; readonly index: number }
  /** A condition that was met, and why. Only `explain` shows it. */
  | { readonly type: 'condition'; readonly message: string }
  /** Why the program took this path: `when` was false, a goto was followed, the cache had the answer. */
  | { readonly type: 'decision'; readonly message: string };
