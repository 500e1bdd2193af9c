import { dirname, resolve } from 'node:path';
import { lastInput } from '../../engine/last-input.ts';
import type { IterateInput } from '../../iterate/input.ts';
import type { ReadRun } from '../../operations/runs/read-run.ts';
import { sweepLocks } from '../../store/lock.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { OutputOptions, TrustOption } from '../run-options.ts';
import { runOrGoOn } from './run.ts';
import { openSite } from './site/site.ts';

/** Of a loop whose end is recorded: its process may have been killed before it gave the workspace back. */
export function sweepAfterEnd(context: CliContext, { events }: ReadRun): void {
  const input = lastInput(events) as unknown as IterateInput | undefined;
  if (input !== undefined) sweepLocks(resolve(context.workspace, input.workspacePath));
}

/** `orchestrate resume <run>` of a loop: as `run` would go on with it, also after a failure. */
export async function resumeIterate(
  context: CliContext,
  { runId, events }: ReadRun,
  { quiet, verbose, trust }: OutputOptions & TrustOption,
): Promise<number> {
  const input = lastInput(events) as unknown as IterateInput | undefined;
  if (input === undefined) return EXIT.failed;
  const site = openSite(context, {
    workspacesDir: dirname(input.workspacePath),
    ...(trust === undefined ? {} : { trust }),
  });
  if (site === undefined) return context.exitCode;
  const flags = {
    ...(quiet === undefined ? {} : { quiet }),
    ...(verbose === undefined ? {} : { verbose }),
    ...(input.permissions === 'bypass' ? { dangerouslySkipPermissions: true } : {}),
    ...(input.dryRun === undefined ? {} : { dryRun: input.dryRun }),
    ...(input.budgetUsd === undefined ? {} : { budgetUsd: input.budgetUsd }),
    ...(input.timeoutMs === undefined ? {} : { iterationTimeout: input.timeoutMs / 1000 }),
    maxIterations: input.maxIterations,
  };
  await runOrGoOn(site, { name: input.name, flags, earlier: { runId, events, input } });
  return context.exitCode;
}
