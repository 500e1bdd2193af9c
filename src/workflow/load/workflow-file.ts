import type { Diagnostic } from '../../model/diagnostic.ts';
import type { SourceRange } from '../../model/source.ts';
import type { Places } from '../../store/yaml/places.ts';
import type { StepSource } from '../schema/step.ts';
import type { WorkflowSource } from '../schema/workflow-file.ts';
import type { StepIndex } from './step-index.ts';

/** One file of a workflow and of those it calls, read and checked. */
export interface WorkflowFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly digest: string;
  readonly source: WorkflowSource;
  readonly places: Places;
  readonly index: StepIndex;
  readonly diagnostics: Diagnostic[];
  /** The files its `call` steps name; a step whose file could not be loaded is not in it. */
  readonly called: Map<StepSource, WorkflowFile>;
  /** Context keys it reads and does not set; who runs it must. */
  readonly openContext: OpenContext[];
}

/** A context key that the file reads and does not set. */
export interface OpenContext {
  readonly key: string;
  readonly range: SourceRange;
  /** It has a default where it is read. */
  readonly isOptional?: boolean;
}
