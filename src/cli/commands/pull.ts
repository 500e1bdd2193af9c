import type { Command } from 'commander';
import { countText } from '../../model/amounts.ts';
import { type FilesPulled, pullFiles } from '../../operations/runs/pull-files.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { addTrustOption, type TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';

interface PullFlags extends TrustOption {
  readonly merge?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  addTrustOption(command.argument('<run>', 'run id, unique prefix of one, or `last`'))
    .option('--merge', 'also bring the changes into the working tree, next to yours')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  orchestrate pull last --merge')
    .action(async (run: string, flags: PullFlags) => {
      context.exitCode = await pull(context, run, flags);
    });
}

async function pull(context: CliContext, run: string, flags: PullFlags): Promise<number> {
  const input = { run, merge: flags.merge === true };
  const pulled = await withTrust(context, flags, () => pullFiles(siteOf(context), input));
  if (pulled === 'not-trusted') return EXIT.usage;
  if (pulled.type === 'error') return refuse(context, pulled.error);
  context.out(
    flags.json === true ? `${JSON.stringify(asJson(pulled.value), null, 2)}\n` : textOf(pulled.value),
  );
  return EXIT.done;
}

function asJson({ runId, ...pulled }: FilesPulled): object {
  return { run_id: runId, ...pulled };
}

function textOf({ branch, files, merged, kept }: FilesPulled): string {
  const lines = [
    `${branch}: ${countText(files.length, 'changed file')}`,
    ...(merged === undefined ? [] : [`merged into the working tree: ${countText(merged.length, 'file')}`]),
    ...kept.map((each) => `${each}: work that conflicts with the rest, not merged`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
