import type { Command } from 'commander';
import { recordsIn } from '../../engine/records-in.ts';
import { nearest } from '../../model/suggest.ts';
import type { WorkflowInput } from '../../workflow/program.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { findRunOrTell } from '../find-run.ts';
import { loadOrTell } from '../load.ts';
import { readRunOrTell } from '../read-run.ts';
import { contextFrom } from '../run-context.ts';
import { newRunId } from '../run-ids.ts';
import {
  addOutputOptions,
  addTrustOption,
  collect,
  type OutputOptions,
  type TrustOption,
} from '../run-options.ts';
import { startInput } from '../start-workflow.ts';

interface StepFlags extends OutputOptions, TrustOption {
  readonly workflow: string;
  readonly fromRun?: string;
  readonly context?: readonly string[];
  readonly contextFile?: string;
}

export function define(command: Command, context: CliContext): void {
  addOutputOptions(
    addTrustOption(command)
      .argument('<step>', 'its name, at the top level of the workflow')
      .requiredOption('--workflow <file>', 'the YAML file')
      .option('--from-run <run>', 'take `steps.*` from this run')
      .option('--context <key=value>', 'set a context variable (repeatable)', collect)
      .option('--context-file <file>', 'take context variables from a JSON file'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate run-step Review --workflow workflows/ship.yaml --from-run last',
    )
    .action(async (step: string, flags: StepFlags) => {
      context.exitCode = await runOneStep(context, step, flags);
    });
}

async function runOneStep(context: CliContext, step: string, flags: StepFlags): Promise<number> {
  const given = contextFrom({
    pairs: flags.context ?? [],
    ...(flags.contextFile === undefined ? {} : { file: flags.contextFile }),
  });
  if (given.type === 'error') {
    context.err(`error: ${given.error}\n`);
    return EXIT.usage;
  }
  const loaded = loadOrTell(context, flags.workflow, { extraContext: Object.keys(given.value) });
  if (loaded === undefined) return EXIT.usage;
  const { definition } = loaded;
  const names = [...definition.steps, ...definition.finally].map(({ name }) => name);
  if (!names.includes(step)) {
    const near = nearest(step, names);
    context.err(
      `error: \`${flags.workflow}\` has no step \`${step}\`\nhelp: ${near === undefined ? `its steps are ${names.join(', ')}` : `did you mean \`${near}\`?`}\n`,
    );
    return EXIT.usage;
  }
  const records = flags.fromRun === undefined ? {} : earlierRecords(context, flags.fromRun);
  if (records === undefined) return EXIT.usage;
  const runId = newRunId(context.workspace);
  const input: WorkflowInput = {
    runId,
    workspace: context.workspace,
    definition,
    context: { ...definition.context, ...given.value },
    options: {},
    only: { step, records },
  };
  return (await startInput(context, { runId, input, loaded, flags })).exitCode;
}

function earlierRecords(context: CliContext, text: string): ReturnType<typeof recordsIn> | undefined {
  const runId = findRunOrTell(context, text);
  const run = runId === undefined ? undefined : readRunOrTell(context, runId);
  return run === undefined ? undefined : recordsIn(run.events);
}
