import { pauseLoop, stopLoop } from '../../operations/loops/stop-loop.ts';
import { answerOf, type IterateCommand } from './command.ts';

export async function stop(command: IterateCommand, name: string): Promise<void> {
  const { context, site, settings } = command;
  const stopped = await answerOf(command, () => stopLoop(site, { settings, name }));
  if (stopped !== undefined)
    context.out(`✓ ${name} stops when its current iteration ends (process ${stopped.pid})\n`);
}

export async function pause(command: IterateCommand, name: string): Promise<void> {
  const { context, site, settings } = command;
  const asked = await answerOf(command, () => pauseLoop(site, { settings, name }));
  if (asked !== undefined)
    context.out(`✓ ${name} pauses when its current iteration ends (process ${asked.pid})\n`);
}
