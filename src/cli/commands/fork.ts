import type { Command } from 'commander';
import { sharedBefore } from '../../engine/fork.ts';
import { timestampOf } from '../../model/ids.ts';
import { changedSteps } from '../../workflow/changed-steps.ts';
import type { WorkflowInput } from '../../workflow/program.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { findRunOrTell } from '../find-run.ts';
import { loadOrTell } from '../load.ts';
import { currentInput, readRunOrTell } from '../read-run.ts';
import { newRunId } from '../run-ids.ts';
import { addOutputOptions, addTrustOption, type OutputOptions, type TrustOption } from '../run-options.ts';
import { inputAnew, startInput } from '../start-workflow.ts';
import { mayGoOn } from '../trust/own-run.ts';

interface ForkFlags extends OutputOptions, TrustOption {
  readonly from: string;
}

export function define(command: Command, context: CliContext): void {
  addOutputOptions(
    addTrustOption(
      command
        .argument('<run>', 'its id, the beginning of it, or `last`')
        .requiredOption('--from <step>', 'the first step that is run again'),
    ),
  )
    .addHelpText('after', '\nExample:\n  orchestrate fork last --from Review')
    .action(async (text: string, flags: ForkFlags) => {
      context.exitCode = await fork(context, text, flags);
    });
}

async function fork(context: CliContext, text: string, flags: ForkFlags): Promise<number> {
  const source = findRunOrTell(context, text);
  if (source === undefined) return EXIT.usage;
  const run = readRunOrTell(context, source);
  if (run === undefined) return EXIT.failed;
  if (run.started.kind !== 'workflow') {
    context.err(
      `error: run \`${source}\` is of kind \`${run.started.kind}\`, and only workflows can be forked\n`,
    );
    return EXIT.usage;
  }
  const shared = sharedBefore(run.events, flags.from);
  if (shared === undefined) {
    context.err(
      `error: run \`${source}\` never came to a step \`${flags.from}\`\nhelp: \`orchestrate show ${source}\` lists its steps\n`,
    );
    return EXIT.usage;
  }
  if (!(await mayGoOn(context, run, flags))) return EXIT.usage;
  const before = currentInput(run);
  const loaded = loadOrTell(context, before.definition.file, { extraContext: Object.keys(before.context) });
  if (loaded === undefined) return EXIT.usage;
  const { completed } = changedSteps(before.definition, loaded.definition, shared);
  if (completed.length > 0) {
    context.err(
      `error: \`${before.definition.file}\` has changed before \`${flags.from}\`: ${completed.join(', ')}\nhelp: fork from the first of them\n`,
    );
    return EXIT.usage;
  }
  const runId = newRunId(context.workspace);
  const input: WorkflowInput = {
    timestampUtc: timestampOf(source),
    ...inputAnew(context, before, { runId, definition: loaded.definition }),
  };
  const { exitCode } = await startInput(context, {
    runId,
    input,
    loaded,
    flags,
    fork: { from: source, shared },
  });
  return exitCode;
}
