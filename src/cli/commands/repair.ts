import type { Command } from 'commander';
import { repair } from '../../session/repair.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { valueOrTell } from '../session/tell.ts';

interface RepairFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate repair --dry-run')
    .action(async (flags: RepairFlags) => {
      const found = valueOrTell(context, await repair(context.workspace, { dryRun: flags.dryRun === true }));
      if (found === undefined) return;
      const lines = found.map(({ message, mend }) => ({
        message,
        mended: mend !== undefined && flags.dryRun !== true,
      }));
      if (flags.json === true) context.out(`${JSON.stringify(lines, null, 2)}\n`);
      else if (found.length === 0) context.err('nothing to repair\n');
      else {
        const would = flags.dryRun === true ? 'would have ' : '';
        for (const { message, mend } of found) context.out(`${mend === undefined ? '' : would}${message}\n`);
      }
      if (found.some(({ mend }) => mend === undefined)) context.exitCode = EXIT.failed;
    });
}
