import type { Command } from 'commander';
import schema from '../../../schema/workflow.schema.json' with { type: 'json' };
import type { CliContext } from '../context.ts';

export function define(command: Command, context: CliContext): void {
  command
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate schema > workflow.schema.json\n  then, as the first line of a workflow:\n  # yaml-language-server: $schema=../workflow.schema.json',
    )
    .action(() => context.out(`${JSON.stringify(schema, null, 2)}\n`));
}
