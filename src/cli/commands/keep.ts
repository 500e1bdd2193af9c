import type { Command } from 'commander';
import { onStopSignal } from '../../host/stop-signals.ts';
import { ScheduleFinder } from '../../operations/schedules/find-schedules.ts';
import { readQueue } from '../../operations/schedules/run-queue.ts';
import { mayStartAlone } from '../../operations/schedules/trusted-workflows.ts';
import type { Site } from '../../operations/site.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { keeperHere } from '../keeper-here.ts';
import { paths } from '../path-argument.ts';
import { refuse } from '../refuse.ts';
import { addTrustOption, type TrustOption } from '../run-options.ts';
import { siteOfServer } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';

export function define(command: Command, context: CliContext): void {
  addTrustOption(command)
    .argument('[workflow...]', 'workflow files with a `schedule`, besides those in `workflows/`', paths)
    .addHelpText(
      'after',
      '\nResumes runs whose process died or whose question was answered, starts workflows on their `schedule` and runs from the queue. Every run is a process of its own; stopping the keeper stops none of them.\n\nExample:\n  orchestrate keep',
    )
    .action(async (files: readonly string[], flags: TrustOption) => {
      context.exitCode = await keep(context, files ?? [], flags);
    });
}

/** Files that nobody names on the command line: those with a schedule, and those of queued runs. */
async function startedAlone(site: Site, named: readonly string[]): Promise<readonly string[]> {
  const { schedules, untrusted } = await new ScheduleFinder().find(site);
  const queue = readQueue(site.workspace);
  const files = [...schedules, ...(queue.type === 'ok' ? queue.value : [])].map(({ file }) => file);
  return [...files, ...untrusted].filter((file) => !named.includes(file));
}

async function keep(context: CliContext, files: readonly string[], flags: TrustOption): Promise<number> {
  const site = siteOfServer(context);
  const alone = await startedAlone(site, files);
  const may = await withTrust(context, flags, () => mayStartAlone(site, alone));
  if (may === 'not-trusted') return EXIT.usage;
  const keeper = keeperHere(context, context.workspace, files);
  const started = keeper.start();
  if (started.type === 'error') return refuse(context, started.error);
  context.err(`keeping ${context.workspace}; press Ctrl-C to stop\n`);
  await new Promise<void>((resolve) => {
    const stopListening = onStopSignal(() => {
      stopListening();
      resolve();
    });
  });
  await keeper.stop();
  return EXIT.done;
}
