import type { Command } from 'commander';
import { unreachable } from '../../model/unreachable.ts';
import type { RunCancelled } from '../../operations/runs/cancel-run.ts';
import { cancelAnyRun } from '../../operations/workflows/cancel-any-run.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import { carryOutHere } from '../running/carry-out.ts';

export function define(command: Command, context: CliContext): void {
  command
    .argument('<run>', 'run id, unique prefix of one, or `last`')
    .addHelpText('after', '\nExample:\n  orchestrate cancel last')
    .action(async (run: string) => {
      context.exitCode = await cancel(context, run);
    });
}

async function cancel(context: CliContext, asked: string): Promise<number> {
  const site = await siteWithWorkers(context, asked);
  const found = await cancelAnyRun(site, asked);
  await site.workers?.close();
  if (found.type === 'error') return refuse(context, found.error);
  if (found.value.type === 'finally-planned') {
    const { end, exitCode } = await carryOutHere(context, found.value.prepared, { output: {} });
    return end === undefined ? exitCode : EXIT.done;
  }
  const { cancelled, skipsFinally } = found.value;
  if (skipsFinally)
    context.err(
      `warning: you did not start run \`${cancelled.runId}\` on this machine, so its \`finally\` steps were not run\n`,
    );
  return say(context, cancelled);
}

function say(context: CliContext, cancelled: RunCancelled): number {
  const { runId } = cancelled;
  switch (cancelled.type) {
    case 'already-ended':
      context.err(`run \`${runId}\` has already ended (${cancelled.status}): nothing to do\n`);
      break;
    case 'asked':
      context.err(
        `run \`${runId}\`: ${cancelled.isSignalled ? `asked process ${cancelled.pid} to stop` : `process ${cancelled.pid} has just ended`}\n`,
      );
      break;
    case 'ended':
      context.err(`run \`${runId}\` is cancelled\n`);
      break;
    case 'asked-workers':
      context.err(`run \`${runId}\`: asked its worker to cancel it\n`);
      break;
    case 'ended-there':
      context.err(`run \`${runId}\` has already ended: nothing to do\n`);
      break;
    default:
      return unreachable(cancelled);
  }
  return EXIT.done;
}
