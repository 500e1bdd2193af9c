import { countText } from '../../model/amounts.ts';
import { diffLoop } from '../../operations/loops/git/diff-loop.ts';
import { rollbackLoop } from '../../operations/loops/git/rollback-loop.ts';
import { printable } from '../../report/text/printable.ts';
import { answerOf, type IterateCommand } from './command.ts';

export async function diff(
  command: IterateCommand,
  name: string,
  iteration: number | undefined,
): Promise<void> {
  const { context, site, settings } = command;
  const patch = await answerOf(command, () => diffLoop(site, { settings, name, iteration }));
  if (patch !== undefined) context.out(process.stdout.isTTY === true ? printable(patch) : patch);
}

export async function rollback(command: IterateCommand, name: string, iteration: number): Promise<void> {
  const { context, site, settings } = command;
  const done = await answerOf(command, () => rollbackLoop(site, { settings, name, iteration }));
  if (done === undefined) return;
  const commit = done.commit === undefined ? '' : `, commit ${done.commit.slice(0, 10)}`;
  context.out(
    `✓ ${name} is back at the end of iteration ${iteration} (${countText(done.files.length, 'file')} changed${commit})\n`,
  );
}
