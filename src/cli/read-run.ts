/** Reads a run for a command that shows it. Reports a damaged journal and shows as much as can be read. */
import { adviceText } from '../operations/advice.ts';
import { describeDamage } from '../operations/describe-problem.ts';
import { type ReadRun, readRun } from '../operations/runs/read-run.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { howToType, refuse } from './refuse.ts';
import { siteOf } from './site.ts';

/** Undefined if nothing can be read; the problem has been printed and `context.exitCode` is set. */
export function readRunHere(context: CliContext, asked: string): ReadRun | undefined {
  const read = readRun(siteOf(context), asked);
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
      `note: the last ${tornBytes} bytes of the journal are an unfinished record; \`orchestrate resume ${runId}\` removes it\n`,
    );
  }
}
