import type { Diagnostic } from '../../model/diagnostic.ts';
import type { SourceRange } from '../../model/source.ts';
import type { Places } from '../../store/yaml/places.ts';
import type { StepSource } from '../schema/step.ts';
import type { WorkflowSource } from '../schema/workflow-file.ts';
import type { StepIndex } from './step-index.ts';

/** One file of a workflow or of the ones it calls, read and checked. */
export interface WorkflowFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly digest: string;
  readonly source: WorkflowSource;
  readonly places: Places;
  readonly index: StepIndex;
  readonly diagnostics: Diagnostic[];
  /** The files of its `call` steps, without those that could not be loaded. */
  readonly called: Map<StepSource, WorkflowFile>;
  /** Context keys it reads but does not set; they must be set from outside. */
  readonly openContext: OpenContext[];
}

/** A context key that the file reads and does not set. */
export interface OpenContext {
  readonly key: string;
  readonly range: SourceRange;
  /** It has a default in the file. */
  readonly isOptional?: boolean;
}
