import { type KeptFile, keptText } from '../../model/kept-file.ts';
import type { Phase } from '../../operations/phases/get-phases.ts';
import { printable, printableLine } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';

export interface JsonFlag {
  readonly json?: boolean;
}

/** Reports files of others that were renamed to keep them. */
export function reportKept(context: CliContext, { kept }: { readonly kept: readonly KeptFile[] }): void {
  for (const each of kept) context.err(`note: ${keptText(each)}\n`);
}

/** `phase_0  active  Write it (engineer)` */
export function printPhase(context: CliContext, phase: Phase, flags: JsonFlag): void {
  context.out(flags.json === true ? `${JSON.stringify(phase, null, 2)}\n` : `${phaseLine(phase)}\n`);
}

/** The context that a phase gets from the one before it. */
export function printHandedOver(context: CliContext, previous: Phase | undefined): void {
  if (previous === undefined || previous.context_for_next === '') return;
  context.out(printable(`\nContext from ${previous.id}:\n\n${previous.context_for_next}\n`));
}

export function phaseLine({ id, status, title, agent }: Phase): string {
  return printableLine(`${id}  ${status}  ${title}${agent === '' ? '' : ` (${agent})`}`);
}
