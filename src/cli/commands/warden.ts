import type { Command } from 'commander';
import type { CliContext } from '../context.ts';

export function define(command: Command, _context: CliContext): void {
  command.argument('<mark>', 'mark of the processes').action(async (mark: string) => {
    const { watchOver } = await import('../../cluster/warden.ts');
    await watchOver(process.stdin, mark);
  });
}
