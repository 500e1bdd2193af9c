import type { JsonObject } from '../../model/json.ts';
import type { AgentOptions } from '../agent-request.ts';
import type { SessionId, TaskId } from '../ids.ts';

export interface PlanInput extends AgentOptions {
  readonly session: SessionId;
  readonly request: string;
  /** Files of the project. */
  readonly tree: readonly string[];
  /** The documents of tasks that are there already, as far as they matter. */
  readonly existing: readonly JsonObject[];
  /** What planning of the session has cost before. */
  readonly costBefore?: number | null;
  /** The role file of the planning agent, where the project has one. */
  readonly role?: string;
  /** A task that is divided, in place of a new plan. */
  readonly parent?: { readonly id: TaskId; readonly source: JsonObject };
}
