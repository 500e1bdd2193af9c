import type { Command } from 'commander';
import { checkAgainst, describeDivergence } from '../../operations/resuming/check-against.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { paths } from '../path-argument.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

export function define(command: Command, context: CliContext): void {
  command
    .argument('<file...>', 'workflow files (TypeScript or JavaScript)', paths)
    .requiredOption('--against <run|folder>', 'run id, `last`, or a folder of journals')
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate check review.workflow.ts --against last\n  orchestrate check *.workflow.ts --against test/journals',
    )
    .action(async (files: readonly string[], { against }: { readonly against: string }) => {
      for (const file of files) {
        context.exitCode = await check(context, file, against);
        if (context.exitCode !== EXIT.done) return;
      }
    });
}

/** The first divergence ends it. */
async function check(context: CliContext, file: string, against: string): Promise<number> {
  const checked = await checkAgainst(siteOf(context), { file, against });
  if (checked.type === 'error') return refuse(context, checked.error);
  for (const { runId, divergence } of checked.value) {
    if (divergence !== undefined) {
      const lines = [`${file} does not fit run ${runId}`, ...describeDivergence(divergence)];
      context.err(`error: ${lines.join('\n  ')}\n`);
      return EXIT.failed;
    }
    context.out(`${file}: fits run ${runId}\n`);
  }
  return EXIT.done;
}
