import { type NewRun, startRun } from '../engine/local-run.ts';
import type { JsonValue } from '../model/json.ts';
import type { CliContext } from './context.ts';
import { type Executed, execute } from './execute.ts';
import type { OutputOptions } from './run-options.ts';

/** A new run of a program that touches no secret by name, from its input to the exit code. */
export function startProgram(
  context: CliContext,
  run: Omit<NewRun, 'workspace' | 'input'> & { readonly input: object },
  output: OutputOptions,
): Promise<Executed> {
  const { workspace } = context;
  const input = run.input as JsonValue;
  return execute({
    context,
    runId: run.runId,
    output,
    secrets: [],
    begin: (host, signal) => startRun(host, { ...run, workspace, input }, signal),
  });
}
