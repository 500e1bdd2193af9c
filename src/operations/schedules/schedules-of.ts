/** The schedules that the file of a workflow declares. Reading them from code loads it, which runs its top level. */
import { error, ok, type Result } from '../../model/result.ts';
import { isModuleFile } from '../../store/module-file.ts';
import type { ScheduleEntry } from '../../workflow/definition.ts';
import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import { withCodeApart } from '../code-apart.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

export interface DeclaredSchedules {
  /** Name of the workflow. */
  readonly workflow: string;
  readonly entries: readonly ScheduleEntry[];
  /** Workspace-relative files that decide about them. */
  readonly sources: readonly string[];
}

export async function schedulesOf(
  site: Site,
  { file }: { readonly file: string },
): Promise<Result<DeclaredSchedules, Problem>> {
  if (!isModuleFile(file)) return inWorkflowFile(site, file);
  return withCodeApart(site, { operation: 'schedules-of', asked: { file } }, async (here) => {
    const { loadCodeDefinition } = await import('../code/code-definition.ts');
    const loaded = await loadCodeDefinition(here, file);
    if (loaded.type === 'error') return loaded;
    const { title, schedule, sources } = loaded.value;
    return ok({ workflow: title, entries: schedule, sources: sources.map((source) => source.file) });
  });
}

/** Workflows in code that it calls are not loaded. */
function inWorkflowFile({ workspace }: Site, file: string): Result<DeclaredSchedules, Problem> {
  const loaded = loadWorkflow(workspace, file, {});
  if (loaded.type === 'error') return error({ type: 'invalid-file', diagnostics: loaded.error });
  const { name, schedule = [] } = loaded.value.definition;
  return ok({ workflow: name, entries: schedule, sources: [file] });
}
