import { join } from 'node:path';
import { startDetachedRun } from '../host/carrying/start-detached-run.ts';
import { startDetachedQueue } from '../host/loops/detached-queue.ts';
import { createKeeper, type Keeper } from '../keeper/keeper.ts';
import { realWorld } from '../keeper/world.ts';
import { printableLine } from '../report/text/printable.ts';
import type { CliContext } from './context.ts';
import { siteOfServer } from './site.ts';

/** A keeper that starts runs with this program and prints what it does. */
export function keeperHere(context: CliContext, workspace: string, files: readonly string[] = []): Keeper {
  const site = siteOfServer({ ...context, workspace });
  const program = [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js')];
  return createKeeper({
    site,
    files,
    world: realWorld({
      start: (prepared) => startDetachedRun(prepared, { site, program }),
      runLoops: (queue) => startDetachedQueue(queue, { site, program }),
    }),
    say: (text) => context.err(`${new Date().toISOString()} ${printableLine(text)}\n`),
  });
}
