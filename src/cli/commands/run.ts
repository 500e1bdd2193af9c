import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { path, pathOrRun } from '../path-argument.ts';
import {
  addDetachOption,
  addOutputOptions,
  addTrustOption,
  collect,
  integerBetween,
  wholeNumber,
} from '../run-options.ts';
import { prepareAndRun } from '../running/carry-out.ts';
import { prepareWorkflow, type RunFlags } from '../running/run-workflow.ts';
import { withEngine } from '../running/uses-workers.ts';

interface QueueFlags {
  readonly queue?: boolean;
  readonly priority?: number;
  readonly engine?: boolean;
}

export function define(command: Command, context: CliContext): void {
  addDetachOption(
    addOutputOptions(addRunFlags(command.argument('<workflow>', 'workflow file (YAML or TypeScript)', path))),
  )
    .addOption(
      new Option(
        '--queue',
        'put it into the queue; `orchestrate keep` starts it when it is its turn',
      ).conflicts([...['detach', 'json', 'record', 'replay', 'cleanProcessed', 'archiveProcessed']]),
    )
    .addOption(
      new Option('--engine', 'let workers carry it out (docs/cluster.md); Ctrl-C detaches').conflicts(
        'queue',
      ),
    )
    .option('--no-engine', 'run it here, even if .orchestrate/engine.yaml says `use: always`')
    .option(
      '--priority <n>',
      'with --queue: the highest starts first (default: 0)',
      integerBetween(-1000, 1000),
    )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate run workflows/ship.yaml --context issue=42 --archive-processed out.zip',
    )
    .action(async (file: string, flags: RunFlags & QueueFlags) => {
      if (flags.queue === true) {
        const { queueHere } = await import('../running/queue-run.ts');
        context.exitCode = await queueHere(context, file, flags);
        return;
      }
      const prepare = prepareWorkflow(context, file, flags);
      context.exitCode = (await prepareAndRun(context, prepare, await withEngine(context, flags))).exitCode;
    });
}

export function addRunFlags(command: Command): Command {
  return addTrustOption(command)
    .option('--context <key=value>', 'set a context variable (repeatable)', collect)
    .option('--context-file <file>', 'read context variables from a JSON file', path)
    .option(
      '--input <value>',
      '`key=value`, a JSON object or `@file.json`: inputs of the workflow (repeatable)',
      collect,
    )
    .option('--clean-processed', 'empty the folder of processed tasks before the run')
    .option('--archive-processed [file]', 'archive the processed tasks as a zip after success', path)
    .addOption(
      new Option('--on-error <what>', 'what to do after a failure that no step handles').choices([
        'stop',
        'continue',
      ]),
    )
    .option('--max-retries <n>', 'default retries for steps without `retries`', wholeNumber)
    .option('--retry-delay <ms>', 'delay before the first retry, in milliseconds', wholeNumber)
    .option('--dry-run', 'print commands instead of running them, and use the mock agent')
    .option('--record', 'record every agent call as a cassette in the run folder')
    .addOption(
      new Option('--replay <run|folder>', 'replay agent calls from cassettes')
        .conflicts('record')
        .argParser(pathOrRun),
    )
    .option('--replay-loose', 'with --replay: replay even if the prompt has changed')
    .option('--agent <provider>', 'use this provider for every agent step')
    .option('--no-cache', 'run steps even if their result is cached');
}
