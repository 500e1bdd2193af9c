import type { JsonObject } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';

/** A change of `.claude/state/workflow.json`, with its view and history. `phases/` defines its meaning. */
export type ChangePhasesInput =
  /** The active phase becomes the run's own; if none is active the next one starts. */
  | { readonly type: 'begin' }
  | {
      readonly type: 'complete';
      readonly phase: string;
      readonly deliverables: readonly string[];
      readonly context: string;
    }
  | { readonly type: 'fail'; readonly phase: string; readonly error: string };

export interface ChangePhasesOutput extends EffectOutput {
  /** The current document. */
  readonly document?: JsonObject;
}
