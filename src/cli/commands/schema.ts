import { Argument, type Command } from 'commander';
import { configSchema, engineSchema, workflowSchema } from '../../operations/projects/init-project.ts';
import type { CliContext } from '../context.ts';

const SCHEMAS = { workflow: workflowSchema, config: configSchema, engine: engineSchema };

export function define(command: Command, context: CliContext): void {
  command
    .addArgument(
      new Argument('[of]', 'whose schema: that of workflow files, of `config.yaml` or of `engine.yaml`')
        .choices(['workflow', 'config', 'engine'])
        .default('workflow'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate schema > workflow.schema.json\n  then put this on the first line of a workflow:\n  # yaml-language-server: $schema=../workflow.schema.json\n  orchestrate schema config > .orchestrate/config.schema.json',
    )
    .action((of: keyof typeof SCHEMAS) => context.out(SCHEMAS[of]()));
}
