import type { Command } from 'commander';
import { repairSessions } from '../../operations/sessions/repair-sessions.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

interface RepairFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .option('--dry-run', 'show what would be repaired and change nothing')
    .option('--json', 'print the repairs as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate repair --dry-run')
    .action(async (flags: RepairFlags) => {
      context.exitCode = await repair(context, flags);
    });
}

async function repair(context: CliContext, { dryRun, json }: RepairFlags): Promise<number> {
  const found = await repairSessions(siteOf(context), { dryRun });
  if (found.type === 'error') return refuse(context, found.error);
  const repairs = found.value;
  if (json === true) {
    const lines = repairs.map(({ message, isPossible }) => ({
      message,
      repaired: isPossible && dryRun !== true,
    }));
    context.out(`${JSON.stringify(lines, null, 2)}\n`);
  } else if (repairs.length === 0) context.err('nothing to repair\n');
  else {
    const would = dryRun === true ? 'would ' : '';
    for (const { message, isPossible } of repairs) context.out(`${isPossible ? would : ''}${message}\n`);
  }
  return repairs.every(({ isPossible }) => isPossible) ? EXIT.done : EXIT.failed;
}
