import { type KeptFile, keptText } from '../../model/kept-file.ts';
import type { CliContext } from '../context.ts';

/** Prints warnings and notes after tasks were changed. */
export function sayChanged(
  context: CliContext,
  { kept, trustProblem }: { readonly kept: readonly KeptFile[]; readonly trustProblem?: string },
): void {
  if (trustProblem !== undefined)
    context.err(`warning: the next run asks whether to trust this setting: ${trustProblem}\n`);
  for (const each of kept) context.err(`note: ${keptText(each)}\n`);
}
