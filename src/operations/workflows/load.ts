import { hasErrors } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { type LoadedWorkflow, type LoadOptions, loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';

/** A workflow that can be run, with what is to be said of it; or all that is wrong with it. */
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
