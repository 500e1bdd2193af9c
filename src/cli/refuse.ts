/** Prints a problem on the command line; every command uses this. */

import { adviceText, type Call } from '../model/advice.ts';
import type { ProblemKind } from '../model/problem-form.ts';
import { withTypedCommands } from '../model/typed-command.ts';
import { unreachable } from '../model/unreachable.ts';
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

/** How to call an operation from the command line. */
export function howToType(call: Call): string {
  switch (call.operation) {
    case 'list-runs':
      return '`orchestrate runs`';
    case 'start-workflow':
      return '`orchestrate run <workflow>`';
    case 'show-run':
      return `\`orchestrate show ${call.run}\``;
    case 'resume-run':
      return `\`orchestrate resume ${call.run}${call.acceptsChanges === true ? ' --accept-changes' : ''}\``;
    case 'fork-run':
      return `\`orchestrate fork ${call.run} --from <step>\``;
    case 'restart-run':
      return `\`orchestrate resume ${call.run} --force-restart\``;
    case 'follow-run':
      return `\`orchestrate logs ${call.run} -f\``;
    case 'cancel-run':
      return `\`orchestrate cancel ${call.run}\``;
    case 'check-run':
      return `\`orchestrate doctor ${call.run}\``;
    case 'cut-run':
      return `\`orchestrate doctor ${call.run} --cut\``;
    case 'trust':
      return '`--trust`';
    default:
      return unreachable(call);
  }
}
