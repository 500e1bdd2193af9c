/** What `import … from 'orchestrate-run'` gives: marks and types for workflow files, and the door for programs. It is small, since every such file loads it. */

export type * from '../code/written/calls.ts';
export type { Context } from '../code/written/context.ts';
export { Cancelled, StepFailed } from '../code/written/errors.ts';
export type { JsonOnly } from '../code/written/json-only.ts';
export type {
  AnswerSchema,
  SchemaInput,
  SchemaOutput,
  StandardSchema,
} from '../code/written/standard-schema.ts';
export {
  effect,
  type OwnEffect,
  type ScheduledStart,
  type Workflow,
  type WorkflowSettings,
  workflow,
} from '../code/written/workflow.ts';
export type { RunEvent, RunStatus } from '../model/event.ts';
export type { Advice, Failure } from '../model/failure.ts';
export type { JsonObject, JsonValue } from '../model/json.ts';
export type { RunState } from '../model/run-state.ts';
export { createOrchestrator } from './embed.ts';
export { OrchestrateError } from './errors.ts';
export type {
  AnyWorkflow,
  ApproveOptions,
  OpenQuestion,
  Orchestrator,
  OrchestratorOptions,
  ResumeOptions,
  Run,
  RunEnd,
  RunSummary,
  StartOptions,
} from './orchestrator-types.ts';
