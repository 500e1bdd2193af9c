import type { Command } from 'commander';
import { broken } from '../../session/sessions.ts';
import { writeViews } from '../../session/views/write-views.ts';
import type { CliContext } from '../context.ts';
import { sessionOrTell, tell, tellKept } from '../session/tell.ts';

interface ViewsFlags {
  readonly session?: string;
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .option('--session <id>', 'another session than the active one')
    .option('--json', 'print what was written, removed and kept as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate views')
    .action((flags: ViewsFlags) => views(context, flags));
}

async function views(context: CliContext, flags: ViewsFlags): Promise<void> {
  const session = sessionOrTell(context, flags.session);
  if (session === undefined) return;
  const done = await writeViews(session.paths);
  if (done.type === 'error') return tell(context, broken(done.error));
  const { written, removed, kept } = done.value;
  const at = (name: string): string => `${session.paths.relative}/${name}`;
  if (flags.json === true) {
    const keptFiles = kept.map(({ name, keptAs }) => ({ file: at(name), kept_as: at(keptAs) }));
    const told = { written: written.map(at), removed: removed.map(at), kept: keptFiles };
    context.out(`${JSON.stringify(told, null, 2)}\n`);
    return;
  }
  tellKept(context, session, kept);
  for (const name of removed) context.err(`removed \`${at(name)}\`: its task is not completed\n`);
  for (const name of written) context.out(`${at(name)}\n`);
  if (written.length + removed.length === 0) context.err('everything is as the tasks say\n');
}
