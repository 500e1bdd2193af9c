import { pauseLoop, stopLoop } from '../../operations/loops/stop-loop.ts';
import { limitText } from '../../report/text/limit.ts';
import { answerOf, type IterateCommand } from './command.ts';

export async function stop(command: IterateCommand, name: string): Promise<void> {
  const { context, site, settings } = command;
  const stopped = await answerOf(command, () => stopLoop(site, { settings, name }));
  if (stopped === undefined) return;
  const when = stopped.limit === undefined ? 'stops when its current iteration ends' : 'is stopping now';
  context.out(`✓ ${name} ${when} (process ${stopped.pid})\n`);
}

export async function pause(command: IterateCommand, name: string): Promise<void> {
  const { context, site, settings } = command;
  const asked = await answerOf(command, () => pauseLoop(site, { settings, name }));
  if (asked === undefined) return;
  const { pid, limit } = asked;
  context.out(`✓ ${name} pauses when its current iteration ends (process ${pid})\n`);
  if (limit !== undefined)
    context.out(
      `  Now it has a ${limitText(limit, Date.now())}. To end the process at once and keep the run: kill -INT ${pid}\n`,
    );
}
