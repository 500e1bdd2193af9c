import type { JsonObject } from '../../model/json.ts';
import type { AgentOptions } from '../agent-request.ts';
import type { SessionId, TaskId } from '../ids.ts';

export interface PlanInput extends AgentOptions {
  readonly session: SessionId;
  readonly request: string;
  /** The project's files. */
  readonly tree: readonly string[];
  /** The relevant parts of existing task documents. */
  readonly existing: readonly JsonObject[];
  /** The planning agent's role file, if the project has one. */
  readonly role?: string;
  /** The task to decompose, instead of making a new plan. */
  readonly parent?: { readonly id: TaskId; readonly source: JsonObject };
}
