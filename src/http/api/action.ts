import { startDetachedRun } from '../../host/carrying/start-detached-run.ts';
import type { JsonObject } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import type { WorkflowInputs } from '../../operations/definitions/inputs.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import type { Site } from '../../operations/site.ts';

export interface Acting {
  readonly site: Site;
  /** How this program is called. */
  readonly program: readonly string[];
}

/** What was done, in words; `run` is the one that was started or changed. */
export interface Said {
  readonly said: string;
  readonly run?: string;
  /** What `inputs` has found. */
  readonly workflow?: WorkflowInputs;
}

export type Action = (
  acting: Acting,
  given: JsonObject,
) => Promise<Result<Said, Problem>> | Result<Said, Problem>;

/** Leaves a run to a process of its own. */
export async function begin(
  { site, program }: Acting,
  prepared: Result<Prepared, Problem>,
  said: string,
): Promise<Result<Said, Problem>> {
  if (prepared.type === 'error') return prepared;
  const started = await startDetachedRun(prepared.value, { site, program });
  return started.type === 'ok' ? ok({ said, run: prepared.value.plan.runId }) : started;
}

export function text(given: JsonObject, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

export function said<Value>(
  result: Result<Value, Problem>,
  words: (value: Value) => string,
): Result<Said, Problem> {
  return result.type === 'ok' ? ok({ said: words(result.value) }) : result;
}
