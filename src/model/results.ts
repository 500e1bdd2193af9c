/**
 * The results of the parts of a step, read as `${steps.<Name>.results}`: of the items of a loop in their order, of the branches of a
 * `parallel` or the steps of a `graph` by name. They follow from the records of the steps inside and are never recorded themselves.
 */
import type { JsonValue } from './json.ts';

export type PartStatus =
  | 'completed'
  | 'failed'
  /** It was not started. */
  | 'skipped'
  /** It was stopped before it ended. */
  | 'cancelled';

export interface PartResult {
  /** Only for a loop. */
  readonly item?: JsonValue;
  readonly status: PartStatus;
  /** What the last step that ran has captured. */
  readonly output?: string;
  readonly lines?: readonly string[];
  readonly json?: JsonValue;
  /** `output` or `lines` is only the beginning. */
  readonly truncated?: boolean;
}

export type Results =
  | { readonly type: 'items'; readonly parts: readonly PartResult[] }
  | { readonly type: 'named'; readonly parts: { readonly [name: string]: PartResult } }
  | { readonly type: 'too-large' };

/** Most that is kept of one step, in characters. */
export const MOST_RESULTS = 32 * 1024 * 1024;
