import type { RunId } from '../model/ids.ts';
import type { RunKind } from '../operations/run-plan.ts';
import { readWholeRunById } from '../operations/runs/read-run.ts';
import { mayResume } from '../operations/trust/own-run.ts';
import { carryOutHere } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { refuse } from './refuse.ts';
import type { OutputOptions, TrustOption } from './run-options.ts';
import { siteOf } from './site.ts';
import { withTrust } from './trust/with-trust.ts';

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
  const read = readWholeRunById(siteOf(context), runId);
  if (read.type === 'error') {
    refuse(context, read.error);
    return undefined;
  }
  const run = read.value;
  const isUnfinished =
    run.started.program === program && ['running', 'interrupted', 'waiting'].includes(run.state.status);
  if (!isUnfinished) return undefined;
  const may = await withTrust(context, output, () => mayResume(siteOf(context), run));
  if (may === 'not-trusted') return EXIT.usage;
  if (output.quiet !== true)
    context.err(`going on with run ${runId}, with the options it was started with\n`);
  const { kind, title } = run.started;
  const plan = {
    runId,
    workspace,
    kind: kind as RunKind,
    title,
    begin: { type: 'resume' },
    secrets: [],
  } as const;
  return (await carryOutHere(context, { plan }, { output })).exitCode;
}
