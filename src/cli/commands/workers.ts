import type { Command } from 'commander';
import { countText } from '../../model/amounts.ts';
import type { ListedWorker } from '../../operations/workers.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { addTrustOption, type TrustOption } from '../run-options.ts';
import { reachMachines, usableSettings } from '../running/machines.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';

export function define(command: Command, context: CliContext): void {
  addTrustOption(command)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  orchestrate workers')
    .action(async (flags: TrustOption & { readonly json?: boolean }) => {
      context.exitCode = await list(context, flags);
    });
}

async function list(context: CliContext, flags: TrustOption & { readonly json?: boolean }): Promise<number> {
  const settings = await withTrust(context, flags, () => usableSettings(siteOf(context)));
  if (settings === 'not-trusted') return EXIT.usage;
  if (settings.type === 'error') return refuse(context, settings.error);
  const reached = await reachMachines(context, settings.value);
  if (reached.type === 'error') return refuse(context, reached.error);
  const { machines } = reached.value;
  const { listWorkers } = await import('../../cluster/list-workers.ts');
  const workers = await listWorkers(machines.pool).finally(() => machines.close());
  if (flags.json === true) context.out(`${JSON.stringify(workers, null, 2)}\n`);
  else if (workers.length === 0) context.err('no worker is running\n');
  else context.out(workers.map(lineOf).join(''));
  return EXIT.done;
}

function lineOf({
  name,
  machine,
  pid,
  version,
  labels,
  takes_runs,
  beat_age_ms,
  runs,
  calls,
}: ListedWorker): string {
  const takes = [...(takes_runs ? ['runs'] : []), ...labels].join(', ');
  const does = `${countText(runs.length, 'run')}, ${countText(calls.length, 'step')}`;
  return `${name}  ${does}  takes ${takes}  version ${version}  last heartbeat ${(beat_age_ms / 1000).toFixed(1)} s ago  (${machine}, process ${pid})\n`;
}
