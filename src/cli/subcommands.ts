import type { Command } from 'commander';

/** Adds subcommands: `add('list [agent]', 'list waiting tasks', 'orchestrate queue list engineer')`. */
export function subcommandsOf(
  command: Command,
): (usage: string, summary: string, example: string) => Command {
  return (usage, summary, example) => {
    const added = command
      .command(usage)
      .summary(summary)
      .description(sentence(summary))
      .addHelpText('after', `\nExample:\n  ${example}`);
    const { parent } = command;
    return parent === null
      ? added
      : added.showHelpAfterError(`(see \`${parent.name()} ${command.name()} ${added.name()} --help\`)`);
  };
}

export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
