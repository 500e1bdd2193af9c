/** What a user asks of a workflow, whichever kind it is. */
import type { RunId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import type { RunOptions } from '../../workflow/block.ts';

export interface StartWorkflow {
  readonly file: string;
  /** The id of the run, if it was chosen before. Default: a new one. */
  readonly runId?: RunId;
  /** Overrides `context` in the file; for code, its input. */
  readonly context?: JsonObject;
  readonly options?: RunOptions;
  /** Record every agent call as a cassette in the run folder. */
  readonly records?: boolean;
  /** Replay agent calls from the cassettes of a run or a folder. */
  readonly replay?: { readonly from: string; readonly isLoose?: boolean };
  /** Empty the folder of processed tasks before the run. */
  readonly cleanProcessed?: boolean;
  /** Archive the processed tasks as a zip after success; default: in the run folder. */
  readonly archiveProcessed?: { readonly to?: string };
}

export interface RunStep {
  readonly file: string;
  /** Name of a top-level step. */
  readonly step: string;
  /** Take the values of `steps.*` from this run. */
  readonly fromRun?: string;
  readonly context?: JsonObject;
}
