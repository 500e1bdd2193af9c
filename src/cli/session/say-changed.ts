import { describeKept, type KeptFile } from '../../operations/sessions/kept-files.ts';
import type { CliContext } from '../context.ts';

/** What there is to know after tasks were changed. */
export function sayChanged(
  context: CliContext,
  { kept, trustProblem }: { readonly kept: readonly KeptFile[]; readonly trustProblem?: string },
): void {
  if (trustProblem !== undefined)
    context.err(`warning: you will be asked about this setting: ${trustProblem}\n`);
  for (const each of kept) context.err(`note: ${describeKept(each)}\n`);
}
