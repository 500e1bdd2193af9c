import type { RunId } from '../model/ids.ts';
import { carryOutHere } from './carry-out.ts';
import type { CliContext } from './context.ts';

/** Of a run whose end is recorded: what its process may not have come to is made up for. */
export async function tidyEndedRun(context: CliContext, runId: RunId): Promise<number> {
  const { workspace } = context;
  const begin = { type: 'tidy' } as const;
  const plan = { runId, workspace, kind: 'converse', title: '', begin, secrets: [] } as const;
  return (await carryOutHere(context, { plan }, { output: { quiet: true } })).exitCode;
}
