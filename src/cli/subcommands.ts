import type { Command } from 'commander';

/** Adds subcommands: `add('list [agent]', 'list waiting tasks', 'orchestrate queue list engineer')`. */
export function subcommandsOf(
  command: Command,
): (usage: string, summary: string, example: string) => Command {
  return (usage, summary, example) =>
    command
      .command(usage)
      .summary(summary)
      .description(sentence(summary))
      .addHelpText('after', `\nExample:\n  ${example}`);
}

export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
