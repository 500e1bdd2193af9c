import type { JsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import { withCodeApart } from '../code-apart.ts';
import type { RunStep, StartWorkflow } from '../definitions/asked.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { Site } from '../site.ts';
import { loadOptionsOf } from '../workflows/start-workflow.ts';
import { loadDefinition } from './load-definition.ts';

/** Plans a run of a workflow by the name of its file. */
export function startFile(site: Site, { file, ...asked }: StartWorkflow): Promise<Result<Prepared, Problem>> {
  const call = { operation: 'start-file', asked: { file, ...asked } as unknown as JsonObject } as const;
  return withCodeApart(site, call, async (here) => {
    const loaded = await loadDefinition(here, file, loadOptionsOf(here, asked));
    return loaded.type === 'ok' ? loaded.value.start(asked) : loaded;
  });
}

/** Plans a run of a single step, with the results of an earlier run. */
export async function runStep(site: Site, { file, ...asked }: RunStep): Promise<Result<Prepared, Problem>> {
  const loaded = await loadDefinition(site, file, { context: asked.context ?? {} });
  return loaded.type === 'ok' ? loaded.value.runStep(asked) : loaded;
}
