import { adviceText, type Call } from '../../model/advice.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { howToType } from '../../model/how-to-type.ts';
import type { Result } from '../../model/result.ts';
import { positionAt } from '../../model/source.ts';
import { describeProblem } from '../../operations/describe-problem.ts';
import { kindOf, type Problem } from '../../operations/problem.ts';
import { OrchestrateError } from '../errors.ts';

/** The value, or the problem as an error with the same words as everywhere. */
export function orThrow<Value>(result: Result<Value, Problem>): Value {
  if (result.type === 'ok') return result.value;
  throw refusal(result.error);
}

export function refusal(problem: Problem): OrchestrateError {
  const { message, details = [], help } = describeProblem(problem);
  const places = problem.type === 'invalid-file' ? problem.diagnostics.map(describeDiagnostic) : [];
  return new OrchestrateError({
    message: [message, ...details, ...places].join('\n'),
    kind: kindOf(problem),
    type: problem.type,
    help: help === undefined ? undefined : adviceText(help, howToCall),
  });
}

function describeDiagnostic({ severity, code, message, range, path, help }: Diagnostic): string {
  const at = range === undefined ? undefined : positionAt(range.file, range.start);
  const place = range === undefined ? path : `${range.file.path}:${at?.line}:${at?.column}`;
  return `${place}: ${severity}[${code}]: ${message}${help === undefined ? '' : ` (${help})`}`;
}

function howToCall(call: Call): string {
  switch (call.operation) {
    case 'list-runs':
      return '`orchestrator.list()`';
    case 'start-workflow':
      return '`orchestrator.start(…)`';
    case 'show-run':
    case 'follow-run':
      return `\`orchestrator.show('${call.run}')\``;
    case 'resume-run':
      return `\`orchestrator.resume('${call.run}'${optionFor(call.changes)})\``;
    case 'cancel-run':
      return `\`orchestrator.cancel('${call.run}')\``;
    case 'trust':
      return '`orchestrate run` in a terminal, which asks';
    case 'give-inputs':
      return 'the input of `orchestrator.start(…)`';
    default:
      // Partial: the others have no method.
      return howToType(call);
  }
}

function optionFor(changes: 'accepted' | 'ignored' | undefined): string {
  if (changes === undefined) return '';
  return changes === 'accepted' ? ', { acceptChanges: true }' : ', { asStarted: true }';
}
