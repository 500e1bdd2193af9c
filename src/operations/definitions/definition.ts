/** What operations know about a workflow, whether it is a YAML file or code. Nothing else asks which of the two it is. */
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Result } from '../../model/result.ts';
import type { ScheduleEntry } from '../../workflow/definition.ts';
import type { SourceDigest } from '../../workflow/load/load-workflow.ts';
import type { WatchedFiles } from '../../workflow/load/watched-files.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { RunStep, StartWorkflow } from './asked.ts';

/** What a run of it needs, and what must not happen in it. */
export interface Definition {
  readonly title: string;
  readonly description?: string;
  /** Workspace-relative. */
  readonly file: string;
  /** The file and those it uses, with the digests of their contents. */
  readonly sources: readonly SourceDigest[];
  readonly checksum: string;
  /** Names of environment variables whose values must not be written to any file. */
  readonly secrets: readonly string[];
  /** The agent CLIs that a run may start. `instead`: the agent that replaces all others (`--agent`). */
  agentsOf(instead: string | undefined): Iterable<string>;
  /** Folders besides the workspace that agents are started in; may contain `${…}`. */
  readonly agentFolders: readonly string[];
  /** Something runs after a cancellation. */
  readonly tidiesUp: boolean;
  /** Patterns of files that git ignores and its steps name. */
  readonly alsoFiles?: readonly string[];
  /** Its file has `notify`. */
  readonly notifies?: true;
}

/** For `agentFolders`: only the code of the workflow knows them. */
export const ANY_FOLDER = '${any}';

/** A definition as it stands in its file now. */
export interface LoadedDefinition extends Definition {
  readonly warnings: readonly Diagnostic[];
  watched(): WatchedFiles;
  /** When it is started by itself. */
  readonly schedule: readonly ScheduleEntry[];
  start(asked: Omit<StartWorkflow, 'file'>): Promise<Result<Prepared, Problem>>;
  runStep(asked: Omit<RunStep, 'file'>): Promise<Result<Prepared, Problem>>;
}
