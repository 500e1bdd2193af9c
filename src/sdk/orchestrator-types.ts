/** Running workflows from a program of your own. */
import type { Workflow } from '../code/written/workflow.ts';
import type { RunEvent, RunStatus } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { RunState } from '../model/run-state.ts';

export interface OrchestratorOptions {
  /** The folder whose `.orchestrate` has the runs; default: the current folder. */
  readonly workspace?: string;
  /** Workflows that are values, not files: needed to resume their runs. Those passed to `start` are added. */
  readonly workflows?: readonly AnyWorkflow[];
  /** Receives every event of every run that this process runs. A promise that it returns is waited for before a run ends as `waiting`. */
  readonly onEvent?: (runId: string, event: RunEvent) => unknown;
  /** Receives problems that do not stop a run, such as a notification that was not sent. Default: they are only in the log of the run. */
  readonly onProblem?: (runId: string, problem: string) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of workflows with different inputs has no other type.
export type AnyWorkflow = Workflow<any, any>;

export interface StartOptions {
  /** Uses this agent for every agent call. */
  readonly agent?: string;
}

export interface ResumeOptions {
  /** Keeps what is recorded, although the workflow asks for something else now. */
  readonly acceptChanges?: boolean;
  /** Continues with the files of the workflow as they were when the run started. */
  readonly asStarted?: boolean;
}

/** A refusal of these methods is an `OrchestrateError`. A run that fails is not one: its `done` says so. */
export interface Orchestrator {
  start<Input, Output>(
    workflow: Workflow<Input, Output>,
    input: NoInfer<Input>,
    options?: StartOptions,
  ): Promise<Run<Output>>;
  /** A file, in code or YAML. For YAML, the input is its context. */
  start(file: string, input?: JsonObject, options?: StartOptions): Promise<Run<JsonValue>>;
  /** Any run that can be resumed; `last` is the newest. One that has completed ends at once. */
  resume(run: string, options?: ResumeOptions): Promise<Run<JsonValue>>;
  /** Newest first, as in `orchestrate runs --json`. */
  list(filter?: { readonly status?: RunStatus; readonly limit?: number }): Promise<readonly RunSummary[]>;
  /** As in `orchestrate show --json`. */
  show(run: string): Promise<RunState>;
  /** Answers a question of a run in any process. A run without a process takes the answer when it is resumed. */
  approve(run: string, question: string, choice: string, options?: ApproveOptions): Promise<void>;
  cancel(run: string): Promise<void>;
  /** Interrupts what runs here, and waits for it. All of it can be resumed. */
  close(): Promise<void>;
}

export interface ApproveOptions {
  /** Name of the person or program that answers. */
  readonly by?: string;
  readonly comment?: string;
  /** For a question with fields. */
  readonly values?: JsonObject;
}

export interface Run<Output = JsonValue> {
  readonly id: string;
  /** What happens from now on; ends with the run. An answer given while an event is handled is taken by the run, even if nothing else is left to do. */
  readonly events: AsyncIterable<RunEvent>;
  /** Never rejects because the run failed. */
  readonly done: Promise<RunEnd<Output>>;
  approve(question: string, choice: string, options?: ApproveOptions): Promise<void>;
  cancel(): Promise<void>;
}

export type RunEnd<Output = JsonValue> =
  | { readonly status: 'completed'; readonly output: Output }
  /** Answer with `approve`, then `resume`. */
  | { readonly status: 'waiting'; readonly questions: readonly OpenQuestion[] }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'interrupted' }
  | { readonly status: 'cancelled' };

export interface OpenQuestion {
  readonly key: string;
  readonly message: string;
  readonly choices: readonly string[];
}

/** With the names of `orchestrate runs --json`; a damaged run has only the first two, and `reason`. */
export interface RunSummary {
  readonly run_id: string;
  readonly status: RunStatus | 'damaged';
  readonly title?: string;
  readonly kind?: string;
  readonly workflow_file?: string;
  readonly process_alive?: boolean;
  readonly started_at?: string;
  readonly updated_at?: string;
  readonly completed_at?: string;
  readonly waiting_for?: readonly string[];
  readonly [member: string]: unknown;
}
