import type { RunId } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { RunKind } from '../operations/run-plan.ts';
import { type CarriedOut, carryOutHere } from './carry-out.ts';
import type { CliContext } from './context.ts';
import type { OutputOptions } from './run-options.ts';

/** A new run of a program that touches no secret by name, from its input to the exit code. */
export function startProgram(
  context: CliContext,
  run: {
    readonly runId: RunId;
    readonly kind: RunKind;
    readonly title: string;
    readonly program: string;
    readonly input: object;
    readonly facts: JsonObject;
  },
  output: OutputOptions,
): Promise<CarriedOut> {
  const { workspace } = context;
  const { runId, kind, title, program, facts } = run;
  const begin = { type: 'new', program, input: run.input as JsonValue, facts } as const;
  return carryOutHere(context, { plan: { runId, workspace, kind, title, begin, secrets: [] } }, { output });
}
