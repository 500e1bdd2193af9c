import { keptText } from '../../model/kept-file.ts';
import type { Phase } from '../../phases/document.ts';
import { type PhasesProblem, problemWords } from '../../phases/files/alone.ts';
import type { Kept } from '../../phases/files/change-document.ts';
import { printableLine } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

export interface JsonFlag {
  readonly json?: boolean;
}

export function refuse(context: CliContext, message: string, help?: string): number {
  context.err(`error: ${printableLine(message)}\n`);
  if (help !== undefined) context.err(`help: ${help}\n`);
  return EXIT.usage;
}

export function tellProblem(context: CliContext, problem: PhasesProblem): number {
  const { message, help } = problemWords(problem);
  refuse(context, message, help);
  if (problem.type === 'held') return EXIT.held;
  return problem.type === 'file-error' ? EXIT.failed : EXIT.usage;
}

/** Says which files of others stand under other names now. */
export function tellKept(context: CliContext, { kept }: Kept): void {
  for (const each of kept) context.err(`note: ${keptText(each)}\n`);
}

/** `phase_0  active  Write it (engineer)` */
export function tellPhase(context: CliContext, phase: Phase, flags: JsonFlag): void {
  context.out(flags.json === true ? `${JSON.stringify(phase, null, 2)}\n` : `${phaseLine(phase)}\n`);
}

export function phaseLine({ id, status, title, agent }: Phase): string {
  return printableLine(`${id}  ${status}  ${title}${agent === '' ? '' : ` (${agent})`}`);
}
