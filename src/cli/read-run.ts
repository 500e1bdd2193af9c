/** Reads a run for a command that shows it. Reports a damaged journal and shows as much as can be read. */

import { adviceText } from '../model/advice.ts';
import { howToType } from '../model/how-to-type.ts';
import type { Result } from '../model/result.ts';
import { typedCommand } from '../model/typed-command.ts';
import type { ReadRunProblem } from '../operations/problem.ts';
import { describeDamage } from '../operations/problems/runs.ts';
import { type ReadRun, type RunWithEvents, readRunWithEvents } from '../operations/runs/read-run.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { siteWithWorkers } from './reach-workers.ts';
import { refuse } from './refuse.ts';

/** Undefined if nothing can be read; the problem has been printed and `context.exitCode` is set. */
export async function readRunWithEventsHere(
  context: CliContext,
  asked: string,
): Promise<RunWithEvents | undefined> {
  return printedRun(context, readRunWithEvents(await siteWithWorkers(context, asked), asked));
}

/** Undefined if nothing can be read; the problem has been printed and `context.exitCode` is set. */
export function printedRun<Run extends ReadRun>(
  context: CliContext,
  read: Result<Run, ReadRunProblem>,
): Run | undefined {
  if (read.type === 'error') {
    refuse(context, read.error);
    return undefined;
  }
  sayDamage(context, read.value);
  return read.value;
}

export function sayDamage(context: CliContext, { runId, damage, tornBytes }: ReadRun): void {
  if (damage !== undefined) {
    const { message, help } = describeDamage(runId, damage);
    context.err(`error: ${message}\nhelp: ${adviceText(help, howToType)}\n`);
    context.exitCode = EXIT.failed;
  } else if (tornBytes > 0) {
    context.err(
      `note: the last ${tornBytes} bytes of the journal are an unfinished record; \`${typedCommand(`resume ${runId}`)}\` removes it\n`,
    );
  }
}
