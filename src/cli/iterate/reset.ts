import { resetLoop } from '../../operations/loops/reset-loop.ts';
import { answerOf, type IterateCommand } from './command.ts';

export async function reset(command: IterateCommand, name: string): Promise<void> {
  const { context, site, settings } = command;
  const done = await answerOf(command, () => resetLoop(site, { settings, name }));
  if (done !== undefined) context.out(`✓ Workspace reset: ${name}\n`);
}
