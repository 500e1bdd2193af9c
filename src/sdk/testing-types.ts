/** Testing a workflow: the real engine and journal in a folder of its own, without agents, people and waiting. */
import type { RunEvent, RunStatus } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import type { OpenQuestion } from './orchestrator-types.ts';

export interface TestOptions<Input> {
  readonly input: Input;
  /** By the name of the agent. An object or list is a structured answer, a text is a text. An error that is thrown fails the call. */
  readonly agents?: { readonly [agent: string]: TestAgent };
  /** By the name of the call, or its whole key: `Build`, `Review/0/Build`. `true` really runs it, or all commands. */
  readonly commands?: true | { readonly [call: string]: TestCommand };
  /** By the name of the call, or its whole key. A question without an answer gets its default; without one, the run waits. */
  readonly answers?: { readonly [call: string]: string };
  /** Files of the workspace. */
  readonly files?: { readonly [path: string]: string };
}

export type TestAgent = (asked: {
  readonly prompt: string;
  /** Whole key of the call: `Review/0/Ask`. */
  readonly key: string;
  readonly agent: string;
  /** How often this call was made, with this one: more than 1 if it is retried or asked again. */
  readonly attempt: number;
}) => JsonValue | Promise<JsonValue>;

export type TestCommand =
  | true
  | CommandAnswer
  | ((asked: {
      readonly argv: readonly string[];
      readonly key: string;
    }) => CommandAnswer | Promise<CommandAnswer>);

export interface CommandAnswer {
  /** Default: 0. */
  readonly exitCode?: number;
  readonly stdout?: string;
  /** The output as lines. */
  readonly lines?: readonly string[];
  /** The output as JSON. */
  readonly json?: JsonValue;
}

export interface TestedWorkflow<Output> {
  readonly status: Exclude<RunStatus, 'running'>;
  /** What the workflow returned; undefined unless it completed. */
  readonly output: Output | undefined;
  /** Why it failed. */
  readonly failure: Failure | undefined;
  /** What it waits for. */
  readonly questions: readonly OpenQuestion[];
  /** Whole keys of the commands, agents, functions, files, pauses and questions, in the order in which they began. */
  readonly keys: readonly string[];
  readonly events: readonly RunEvent[];
  /** The workspace: a temporary folder, removed when the process exits. */
  readonly folder: string;
  /** Runs it again for every record of its journal, as if the process had been killed right after it. Rejects if the result is another one, or a finished call is made again. */
  killAtEveryCall(): Promise<void>;
  /** Replays the journal. Rejects if the workflow does not make the same calls. */
  replay(): Promise<void>;
}
