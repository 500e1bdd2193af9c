/** A workflow in code as a definition. */
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { cassetteOf, noCassettes } from '../definitions/cassettes.ts';
import type { LoadedDefinition } from '../definitions/definition.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';
import { scheduleOfCode } from './code-schedule.ts';
import { loadCode } from './load-code.ts';
import { definitionOfCode } from './plan-code.ts';
import { startLoaded } from './start-code.ts';

export async function loadCodeDefinition(
  site: Site,
  file: string,
): Promise<Result<LoadedDefinition, InvalidFile>> {
  const loaded = await loadCode(site, file);
  if (loaded.type === 'error') return loaded;
  const { warnings, sources } = loaded.value;
  return ok({
    ...definitionOfCode(loaded.value),
    ...{ warnings, schedule: scheduleOfCode(loaded.value.workflow) },
    watched: () => ({ sources: sources.map((source) => source.file), inputs: [], outputs: [] }),
    start: async ({ context = {}, options: { agent, maxRetries, retryDelayMs, dryRun } = {}, ...asked }) => {
      if (dryRun === true) return error({ type: 'no-dry-run-of-code', file });
      const missing = noCassettes(site, asked);
      if (missing !== undefined) return error(missing);
      return startLoaded(site, loaded.value, {
        ...{ input: context, options: defined({ agent, maxRetries, retryDelayMs }) },
        ...defined({ runId: asked.runId }),
        cassette: (runId) => cassetteOf(site, runId, asked),
      });
    },
    // Its steps are known only when it runs.
    runStep: async () => error({ type: 'no-steps-in-code', file }),
  });
}
