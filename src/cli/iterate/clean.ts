import { findLoop, removeLoop } from '../../operations/loops/remove-loop.ts';
import { answerOf, type IterateCommand, isSure } from './command.ts';

export interface CleanFlags {
  readonly force?: boolean;
  readonly archive?: boolean;
}

export async function clean(command: IterateCommand, name: string, flags: CleanFlags): Promise<void> {
  const { context, site, settings } = command;
  if ((await answerOf(command, () => findLoop(site, { settings, name }))) === undefined) return;
  const how = flags.archive === false ? ' without an archive' : '';
  if (!(await isSure(command, flags, `Remove workspace ${name}${how}?`))) return;
  const removed = await answerOf(command, () =>
    removeLoop(site, { settings, name, archives: flags.archive }),
  );
  if (removed === undefined) return;
  if (removed.archive !== undefined) context.out(`✓ Archived: ${removed.archive.name}\n`);
  context.out(`✓ Workspace removed: ${name}\n`);
}
