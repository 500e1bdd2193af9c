import type { Command } from 'commander';
import { broken } from '../../session/sessions.ts';
import { writeViews } from '../../session/views/write-views.ts';
import type { CliContext } from '../context.ts';
import { sessionOrTell, tell } from '../session/tell.ts';

export function define(command: Command, context: CliContext): void {
  command
    .option('--session <id>', 'another session than the active one')
    .addHelpText('after', '\nExample:\n  orchestrate views')
    .action(async (flags: { readonly session?: string }) => {
      const session = sessionOrTell(context, flags.session);
      if (session === undefined) return;
      const written = await writeViews(session.paths);
      if (written.type === 'error') return tell(context, broken(written.error));
      const changed = written.value;
      for (const name of changed) context.out(`${session.paths.relative}/${name}\n`);
      if (changed.length === 0) context.err('everything is as the tasks say\n');
    });
}
