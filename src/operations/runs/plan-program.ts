import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { RunDocuments, RunKind, RunPlan } from '../run-plan.ts';
import type { Site } from '../site.ts';
import { newRunId } from './run-ids.ts';

export interface NewProgram {
  readonly kind: RunKind;
  readonly title: string;
  readonly program: string;
  readonly input: object;
  readonly facts: JsonObject;
  readonly documents?: RunDocuments;
  readonly onlyHere?: string | undefined;
  /** Named in the input. */
  readonly runId?: RunId;
}

/** Plans a new run of a program that names no secrets. */
export function planProgram({ workspace }: Pick<Site, 'workspace'>, run: NewProgram): RunPlan {
  const { kind, title, program, facts, runId = newRunId(workspace) } = run;
  const begin = { type: 'new', program, input: run.input as JsonValue, facts } as const;
  const { documents, onlyHere } = run;
  return { runId, workspace, kind, title, begin, secrets: [], ...defined({ documents, onlyHere }) };
}
