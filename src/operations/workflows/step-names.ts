import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { Site } from '../site.ts';

/** Names of the top-level steps of a workflow; none if it cannot be loaded. */
export function stepNames(site: Pick<Site, 'workspace'>, file: string): readonly string[] {
  const loaded = loadWorkflow(site.workspace, file, {});
  if (loaded.type === 'error') return [];
  const { steps, finally: last } = loaded.value.definition;
  return [...steps, ...last].map(({ name }) => name);
}
