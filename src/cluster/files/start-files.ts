import { startAtHub } from '../../git/hub/start-run.ts';
import { openRepository } from '../../git/repository.ts';
import { shownAddress } from '../../model/address.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { EngineSettings } from '../../model/engine-settings.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import type { Site } from '../../operations/site.ts';
import { createSiteGit } from '../../operations/site-git.ts';
import { orchestrateFolder } from '../../store/layout.ts';
import { makeOrchestrateFolder } from '../../store/orchestrate-folder.ts';
import { type TravellingRun, travellingRun } from './travelling.ts';

/** Pushes the files of the workspace as they are as the start of a run. Undefined if the workers have them in a shared folder. */
export async function startFiles(
  site: Site,
  { workspace }: EngineSettings,
  { runId, documents, alsoFiles = [] }: Pick<RunPlan, 'runId' | 'documents' | 'alsoFiles'>,
): Promise<Result<TravellingRun | undefined, Problem>> {
  if (workspace?.type !== 'git') return ok(undefined);
  const { hub } = workspace;
  const include = [...workspace.include, ...alsoFiles, ...(documents?.files ?? [])];
  const without = documents?.except ?? [];
  const failed = (failure: Failure): Result<never, Problem> =>
    error({ type: 'hub-failed', hub: shownAddress(hub), reason: describeFailure(failure) });
  const repository = await openRepository(createSiteGit(site, site.workspace));
  if (repository.type === 'error') return error({ type: 'no-repository', workspace: site.workspace });
  const scratch = orchestrateFolder(site.workspace);
  makeOrchestrateFolder(scratch);
  const started = await startAtHub(repository.value, { address: hub, runId, scratch, include, without });
  return started.type === 'error'
    ? failed(started.error)
    : ok(travellingRun(started.value.prefix, workspace, { include, without }));
}
