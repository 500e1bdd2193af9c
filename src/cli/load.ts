import { hasErrors } from '../model/diagnostic.ts';
import { renderDiagnostics } from '../report/render-diagnostic.ts';
import { type LoadedWorkflow, type LoadOptions, loadWorkflow } from '../workflow/load/load-workflow.ts';
import type { CliContext } from './context.ts';

/** Loads a workflow, telling everything that is wrong with it; undefined when it cannot be run. */
export function loadOrTell(
  context: CliContext,
  file: string,
  options: LoadOptions,
): LoadedWorkflow | undefined {
  const loaded = loadWorkflow(context.workspace, file, options);
  const diagnostics = loaded.type === 'ok' ? loaded.value.warnings : loaded.error;
  if (diagnostics.length > 0) context.err(renderDiagnostics(diagnostics, { color: context.color.stderr }));
  return loaded.type === 'ok' && !hasErrors(diagnostics) ? loaded.value : undefined;
}
