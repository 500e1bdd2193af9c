import type { Command } from 'commander';
import { defined } from '../../model/defined.ts';
import { runStep } from '../../operations/starting/start-file.ts';
import type { CliContext } from '../context.ts';
import { path } from '../path-argument.ts';
import {
  addDetachOption,
  addOutputOptions,
  addTrustOption,
  collect,
  type DetachOption,
  type OutputOptions,
  type TrustOption,
} from '../run-options.ts';
import { askingInputs } from '../running/asking-inputs.ts';
import { prepareAndRun } from '../running/carry-out.ts';
import type { ContextFlags } from '../running/given-context.ts';
import { siteOf } from '../site.ts';

interface StepFlags extends OutputOptions, TrustOption, DetachOption, ContextFlags {
  readonly workflow: string;
  readonly fromRun?: string;
}

export function define(command: Command, context: CliContext): void {
  addDetachOption(
    addOutputOptions(
      addTrustOption(command)
        .argument('<step>', 'name of a top-level step')
        .requiredOption('--workflow <file>', 'workflow file (YAML)', path)
        .option('--from-run <run>', 'take the values of `steps.*` from this run')
        .option('--context <key=value>', 'set a context variable (repeatable)', collect)
        .option('--context-file <file>', 'read context variables from a JSON file', path),
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate run-step Review --workflow workflows/ship.yaml --from-run last',
    )
    .action(async (step: string, flags: StepFlags) => {
      const prepare = askingInputs(context, { file: flags.workflow, flags }, (given) =>
        runStep(siteOf(context), {
          file: flags.workflow,
          step,
          context: given,
          ...defined({ fromRun: flags.fromRun }),
        }),
      );
      context.exitCode = (await prepareAndRun(context, prepare, flags)).exitCode;
    });
}
