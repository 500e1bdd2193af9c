import type { JsonObject } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';

/** A change of `.claude/state/workflow.json`, with its view and history. What it means stands beside the document, in `phases/`. */
export type ChangePhasesInput =
  /** The active phase becomes the run's own; with none active the next one begins. */
  | { readonly type: 'begin' }
  | {
      readonly type: 'complete';
      readonly phase: string;
      readonly deliverables: readonly string[];
      readonly context: string;
    }
  | { readonly type: 'fail'; readonly phase: string; readonly error: string };

export interface ChangePhasesOutput extends EffectOutput {
  /** As it is now. */
  readonly document?: JsonObject;
}
