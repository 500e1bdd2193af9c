import { hasErrors } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { type LoadedWorkflow, type LoadOptions, loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';

/** Loads a workflow: with its warnings, or with all its errors. */
export function loadForRun(
  { workspace }: Pick<Site, 'workspace'>,
  file: string,
  options: LoadOptions,
): Result<LoadedWorkflow, InvalidFile> {
  const loaded = loadWorkflow(workspace, file, options);
  const diagnostics = loaded.type === 'ok' ? loaded.value.warnings : loaded.error;
  return loaded.type === 'ok' && !hasErrors(diagnostics)
    ? ok(loaded.value)
    : error({ type: 'invalid-file', diagnostics });
}
