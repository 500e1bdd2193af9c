/** Prints a problem on the command line; every command uses this. */

import { adviceText } from '../model/advice.ts';
import { howToType } from '../model/how-to-type.ts';
import type { ProblemKind } from '../model/problem-form.ts';
import { withTypedCommands } from '../model/typed-command.ts';
import { describeProblem } from '../operations/describe-problem.ts';
import { kindOf, type Problem } from '../operations/problem.ts';
import { renderDiagnostics } from '../report/render-diagnostic.ts';
import { printableLine } from '../report/text/printable.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';

const EXIT_BY_KIND: { readonly [Kind in ProblemKind]: number } = {
  'not-found': EXIT.usage,
  invalid: EXIT.usage,
  conflict: EXIT.usage,
  held: EXIT.held,
  failed: EXIT.failed,
};

/** Prints the problem and its help. Sets the exit code and returns it. */
export function refuse(context: CliContext, problem: Problem): number {
  const { message, details = [], note, help } = describeProblem(problem);
  if (problem.type === 'invalid-file')
    context.err(renderDiagnostics(problem.diagnostics, { color: context.color.stderr }));
  else if (problem.type === 'invalid-status')
    for (const line of [message, ...details]) context.err(`error: ${printableLine(line)}\n`);
  else context.err(`error: ${[message, ...details].join('\n  ')}\n`);
  if (note !== undefined) context.err(`note: ${note}\n`);
  if (help !== undefined) context.err(`help: ${withTypedCommands(adviceText(help, howToType))}\n`);
  context.exitCode = EXIT_BY_KIND[kindOf(problem)];
  return context.exitCode;
}
