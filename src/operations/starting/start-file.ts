/** Starts a workflow, which is a YAML file or code, by the name of its file. Code is loaded only for code. */
import fs from 'node:fs';
import { defined } from '../../model/defined.ts';
import { error, type Result } from '../../model/result.ts';
import { isModuleFile } from '../../modules/module-file.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { Site } from '../site.ts';
import { cassetteOf, replayFolder, type StartWorkflow, startWorkflow } from '../workflows/start-workflow.ts';

export async function startFile(site: Site, asked: StartWorkflow): Promise<Result<Prepared, Problem>> {
  if (!isModuleFile(asked.file)) return startWorkflow(site, asked);
  const { replay, options: { agent, maxRetries, retryDelayMs, dryRun } = {} } = asked;
  if (dryRun === true) return error({ type: 'no-dry-run-of-code', file: asked.file });
  if (replay !== undefined && !fs.existsSync(replayFolder(site, replay.from)))
    return error({ type: 'no-cassettes', from: replay.from });
  const { startCode } = await import('../code/start-code.ts');
  return startCode(site, {
    ...{ file: asked.file, input: asked.context ?? {} },
    options: defined({ agent, maxRetries, retryDelayMs }),
    ...defined({ runId: asked.runId }),
    cassette: (runId) => cassetteOf(site, runId, asked),
  });
}
