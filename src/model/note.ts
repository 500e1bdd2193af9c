import type { JsonValue } from './json.ts';
import type { StepRecord } from './record.ts';

/**
 * A fact the program worked out, put down with the effect `note` so that views and `explain` know it. It belongs to the step
 * that owns its key: `Build@record` speaks of `Build`; of an item, `Loop/3/item@done`, to the loop.
 */
export type Note =
  /** A step that needed no effect of its own, or what was decided after one: replaces those fields of its record. */
  | { readonly type: 'record'; readonly record: Partial<StepRecord> }
  /** A step that holds others: how its children are to be shown. */
  | {
      readonly type: 'container';
      readonly kind: 'for-each' | 'repeat' | 'parallel' | 'call';
      readonly items?: readonly JsonValue[];
      /** Of a `parallel`, in the order of the file. */
      readonly branches?: readonly string[];
    }
  | { readonly type: 'item-completed'; readonly index: number }
  /** Why the program went where it went: `when` was false, a goto was taken, the cache answered. */
  | { readonly type: 'decision'; readonly message: string };
