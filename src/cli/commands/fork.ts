import type { Command } from 'commander';
import { forkRun } from '../../operations/resuming/fork-run.ts';
import { isRunOfWorkers } from '../../operations/runs/of-workers.ts';
import type { CliContext } from '../context.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import {
  addDetachOption,
  addOutputOptions,
  addTrustOption,
  type DetachOption,
  type OutputOptions,
  type TrustOption,
} from '../run-options.ts';
import { prepareAndRun } from '../running/carry-out.ts';

interface ForkFlags extends OutputOptions, TrustOption, DetachOption {
  readonly from: string;
}

export function define(command: Command, context: CliContext): void {
  addDetachOption(
    addOutputOptions(
      addTrustOption(
        command
          .argument('<run>', 'run id, unique prefix of one, or `last`')
          .requiredOption('--from <step>', 'first step to run again'),
      ),
    ),
  )
    .addHelpText('after', '\nExample:\n  orchestrate fork last --from Review')
    .action(async (run: string, flags: ForkFlags) => {
      const site = await siteWithWorkers(context, run);
      const prepare = () => forkRun(site, { run, from: flags.from });
      const engine = isRunOfWorkers(site, run);
      context.exitCode = (await prepareAndRun(context, prepare, { ...flags, engine })).exitCode;
    });
}
