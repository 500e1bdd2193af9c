import { resumeRun } from '../engine/local-run.ts';
import type { RunId } from '../model/ids.ts';
import type { CliContext } from './context.ts';
import { execute } from './execute.ts';
import { EXIT } from './exit-codes.ts';
import { readRunOrTell } from './read-run.ts';
import type { OutputOptions, TrustOption } from './run-options.ts';
import { mayGoOn } from './trust/own-run.ts';

export interface LeftRun {
  readonly runId: RunId;
  /** Of another program, it is not the run that was meant. */
  readonly program: string;
}

/**
 * For a command that would start a run where one was left: goes on with it when it died, was interrupted or waits, and answers its exit
 * code. Another run beside it would leave what the dead one has started at work. Nothing: there is none to go on with.
 */
export async function goOn(
  context: CliContext,
  { runId, program }: LeftRun,
  output: OutputOptions & TrustOption,
): Promise<number | undefined> {
  const { workspace } = context;
  const run = readRunOrTell(context, runId);
  const isUnfinished =
    run !== undefined &&
    run.started.program === program &&
    ['running', 'interrupted', 'waiting'].includes(run.state.status);
  if (!isUnfinished) return undefined;
  if (!(await mayGoOn(context, run, output))) return EXIT.usage;
  if (output.quiet !== true)
    context.err(`going on with run ${runId}, with the options it was started with\n`);
  const { exitCode } = await execute({
    ...{ context, runId, output, secrets: [] },
    begin: (host, signal) => resumeRun(host, { workspace, runId }, signal),
  });
  return exitCode;
}
