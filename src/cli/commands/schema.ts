import { Argument, type Command } from 'commander';
import { configSchema, workflowSchema } from '../../operations/projects/init-project.ts';
import type { CliContext } from '../context.ts';

export function define(command: Command, context: CliContext): void {
  command
    .addArgument(
      new Argument('[of]', 'whose schema: that of workflow files, or of `config.yaml`')
        .choices(['workflow', 'config'])
        .default('workflow'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate schema > workflow.schema.json\n  then put this on the first line of a workflow:\n  # yaml-language-server: $schema=../workflow.schema.json\n  orchestrate schema config > .orchestrate/config.schema.json',
    )
    .action((of: string) => context.out(of === 'config' ? configSchema() : workflowSchema()));
}
