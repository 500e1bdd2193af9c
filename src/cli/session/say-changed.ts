import { type KeptFile, keptText } from '../../model/kept-file.ts';
import type { CliContext } from '../context.ts';

/** What there is to know after tasks were changed. */
export function sayChanged(
  context: CliContext,
  { kept, trustProblem }: { readonly kept: readonly KeptFile[]; readonly trustProblem?: string },
): void {
  if (trustProblem !== undefined)
    context.err(`warning: you will be asked about this setting: ${trustProblem}\n`);
  for (const each of kept) context.err(`note: ${keptText(each)}\n`);
}
