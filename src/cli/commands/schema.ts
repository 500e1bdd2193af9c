import type { Command } from 'commander';
import { workflowSchema } from '../../operations/projects/init-project.ts';
import type { CliContext } from '../context.ts';

export function define(command: Command, context: CliContext): void {
  command
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate schema > workflow.schema.json\n  then put this on the first line of a workflow:\n  # yaml-language-server: $schema=../workflow.schema.json',
    )
    .action(() => context.out(workflowSchema()));
}
