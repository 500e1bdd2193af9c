import { join } from 'node:path';
import type { Command } from 'commander';
import { startDetachedRun } from '../../host/carrying/start-detached-run.ts';
import { onStopSignal } from '../../host/stop-signals.ts';
import { createKeeper } from '../../keeper/keeper.ts';
import { realWorld } from '../../keeper/world.ts';
import { printableLine } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { paths } from '../path-argument.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

export function define(command: Command, context: CliContext): void {
  command
    .argument('[workflow...]', 'workflow files with a `schedule`, besides those in `workflows/`', paths)
    .addHelpText(
      'after',
      '\nResumes runs whose process died or whose question was answered, starts workflows on their `schedule` and runs from the queue. Every run is a process of its own; stopping the keeper stops none of them.\n\nExample:\n  orchestrate keep',
    )
    .action(async (files: readonly string[] = []) => {
      context.exitCode = await keep(context, files);
    });
}

async function keep(context: CliContext, files: readonly string[]): Promise<number> {
  const site = siteOf(context);
  const program = [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js')];
  const keeper = createKeeper({
    site,
    world: realWorld((prepared) => startDetachedRun(prepared, { site, program })),
    files,
    say: (text) => context.err(`${new Date().toISOString()} ${printableLine(text)}\n`),
  });
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
