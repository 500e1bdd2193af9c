import type { Command } from 'commander';
import { fileInputs } from '../../operations/starting/file-inputs.ts';
import { renderInputs } from '../../report/render-inputs.ts';
import type { CliContext } from '../context.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

export function define(command: Command, context: CliContext): void {
  command
    .argument('<workflow>', 'workflow file (YAML, TypeScript or JavaScript)')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate inputs workflows/ship.yaml')
    .action(async (file: string, flags: { readonly json?: boolean }) => {
      const found = await fileInputs(siteOf(context), file);
      if (found.type === 'error') refuse(context, found.error);
      else
        context.out(
          flags.json === true ? `${JSON.stringify(found.value, null, 2)}\n` : renderInputs(found.value),
        );
    });
}
