/** The input and output of the program `code`, as the journal has them. */
import type { Failure } from '../model/failure.ts';
import type { RunId, StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';

export const CODE_PROGRAM = 'code';

export interface CodeInput {
  readonly runId: RunId;
  readonly workspace: string;
  /** Workspace-relative; undefined for a workflow that was passed as a value. */
  readonly file?: string;
  readonly name: string;
  /** As it was given; the schema of the workflow is applied in every process. */
  readonly input: JsonValue;
  /** The file and everything it imports inside the workspace, with the digests of their contents. */
  readonly sources: readonly CodeSource[];
  readonly options: CodeOptions;
  /** Where agent calls are recorded or replayed from, also when the run is resumed. */
  readonly cassette?:
    | { readonly type: 'record'; readonly folder: string }
    | { readonly type: 'replay'; readonly folder: string; readonly loose: boolean };
  /** When the run began; for a fork, the original run. ISO 8601. */
  readonly startedAt: string;
  /** ISO 8601: a change was accepted then, so what was recorded before is not compared. */
  readonly acceptedAt?: string;
  /** A run that lost its process is not resumed by itself. */
  readonly keep?: 'never';
  /** The run continues with the copies of its files, as they were when it started. */
  readonly asStarted?: true;
}

export interface CodeSource {
  readonly file: string;
  readonly digest: string;
}

/** Options of the command line. */
export interface CodeOptions {
  /** Replaces every agent. */
  readonly agent?: string;
  readonly maxRetries?: number;
  readonly retryDelayMs?: number;
}

export interface CodeOutput {
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  /** The keys that a resumed run retries. */
  readonly retryKeys: readonly StepKey[];
  /** What the workflow returned. */
  readonly output?: JsonValue;
}
