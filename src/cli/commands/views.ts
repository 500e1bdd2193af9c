import type { Command } from 'commander';
import { writeViews } from '../../operations/sessions/write-views.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { sayChanged } from '../session/say-changed.ts';
import { siteOf } from '../site.ts';

interface ViewsFlags {
  readonly session?: string;
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .option('--session <id>', 'session to use (default: active)')
    .option('--json', 'print what was written, removed and kept as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate views')
    .action(async (flags: ViewsFlags) => {
      context.exitCode = await views(context, flags);
    });
}

async function views(context: CliContext, flags: ViewsFlags): Promise<number> {
  const done = await writeViews(siteOf(context), flags);
  if (done.type === 'error') return refuse(context, done.error);
  const { written, removed, kept } = done.value;
  if (flags.json === true) {
    const data = {
      written,
      removed,
      kept: kept.map(({ name, keptAs }) => ({ file: name, kept_as: keptAs })),
    };
    context.out(`${JSON.stringify(data, null, 2)}\n`);
    return EXIT.done;
  }
  sayChanged(context, { kept });
  for (const file of removed) context.err(`removed \`${file}\`: its task is not completed\n`);
  for (const file of written) context.out(`${file}\n`);
  if (written.length + removed.length === 0) context.err('nothing to regenerate: all views are up to date\n');
  return EXIT.done;
}
