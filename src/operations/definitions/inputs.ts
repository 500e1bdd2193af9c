import type { Field } from '../../model/field.ts';
import type { JsonObject } from '../../model/json.ts';

/** What a workflow says about itself: its description, and the inputs that a run needs. A form of any door is made from this. */
export interface WorkflowInputs {
  readonly name: string;
  /** Workspace-relative. */
  readonly file: string;
  readonly description?: string;
  readonly inputs: readonly Field[];
  /** Values of `context` that a run can replace as well. */
  readonly context: JsonObject;
  /** Written in TypeScript or JavaScript. */
  readonly is_code?: true;
  /** Its input can be any JSON: no schema describes it. */
  readonly takes_anything?: true;
}
