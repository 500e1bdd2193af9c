/** A workflow file as a definition. */
import { ok, type Result } from '../../model/result.ts';
import type { LoadOptions } from '../../workflow/load/load-workflow.ts';
import { watchedFiles } from '../../workflow/load/watched-files.ts';
import type { LoadedDefinition } from '../definitions/definition.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';
import { calledPrograms, loadForRun } from './load.ts';
import { definitionOf } from './plan-workflow.ts';
import { startLoaded } from './start-workflow.ts';

export async function loadFileDefinition(
  site: Site,
  file: string,
  options: LoadOptions,
): Promise<Result<LoadedDefinition, InvalidFile>> {
  const loaded = await loadForRun(site, file, options);
  if (loaded.type === 'error') return loaded;
  const { checksum, sources, warnings, programs, definition } = loaded.value;
  return ok({
    ...definitionOf({ definition, ...calledPrograms(programs) }),
    ...{ checksum, sources, warnings },
    watched: () => watchedFiles(loaded.value),
    schedule: definition.schedule ?? [],
    start: async (asked) => startLoaded(site, loaded.value, asked),
    runStep: async (asked) => (await import('./run-step.ts')).runStepOf(site, loaded.value, asked),
  });
}
