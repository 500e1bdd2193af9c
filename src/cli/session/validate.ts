import { findingSummary, validateTasks } from '../../operations/sessions/tasks/validate-tasks.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

export function validate(
  context: CliContext,
  flags: { readonly session?: string; readonly strict?: boolean; readonly json?: boolean },
): number {
  const validated = validateTasks(siteOf(context), flags);
  if (validated.type === 'error') return refuse(context, validated.error);
  const { count, areValid, findings, diagnostics } = validated.value;
  if (flags.json === true) context.out(`${JSON.stringify(findings.map(findingSummary), null, 2)}\n`);
  else if (diagnostics.length > 0)
    context.err(renderDiagnostics(diagnostics, { color: context.color.stderr }));
  if (!areValid) return EXIT.usage;
  const words = count === 1 ? '1 task is valid' : `${count} tasks are valid`;
  if (flags.json !== true) context.err(count === 0 ? 'the session has no tasks\n' : `${words}\n`);
  return EXIT.done;
}
