import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { addOutputOptions, addTrustOption, collect, wholeNumber } from '../run-options.ts';
import { prepareAndRun } from '../running/carry-out.ts';
import { prepareWorkflow, type RunFlags } from '../running/run-workflow.ts';

export function define(command: Command, context: CliContext): void {
  addOutputOptions(addRunFlags(command.argument('<workflow>', 'the YAML file')))
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate run workflows/ship.yaml --context issue=42 --archive-processed out.zip',
    )
    .action(async (file: string, flags: RunFlags) => {
      const prepare = () => prepareWorkflow(context, file, flags);
      context.exitCode = (await prepareAndRun(context, prepare, flags)).exitCode;
    });
}

export function addRunFlags(command: Command): Command {
  return addTrustOption(command)
    .option('--context <key=value>', 'set a context variable (repeatable)', collect)
    .option('--context-file <file>', 'take context variables from a JSON file')
    .option('--clean-processed', 'empty the folder of processed tasks first')
    .option('--archive-processed [file]', 'after success, put the processed tasks into a zip')
    .addOption(
      new Option('--on-error <what>', 'at a failure that no step handles').choices(['stop', 'continue']),
    )
    .option('--max-retries <n>', 'tries after the first, for steps that do not say', wholeNumber)
    .option('--retry-delay <ms>', 'pause before the first of them', wholeNumber)
    .option('--dry-run', 'show the commands instead of running them; agents are played by the mock agent')
    .option('--record', "keep every agent call's stream as a cassette in the run's folder")
    .addOption(new Option('--replay <run|folder>', 'answer agent calls from cassettes').conflicts('record'))
    .option('--replay-loose', 'with --replay: also when the prompt is another one')
    .option('--agent <provider>', 'use this provider for all agent steps')
    .option('--no-cache', 'run steps that the cache could answer');
}
