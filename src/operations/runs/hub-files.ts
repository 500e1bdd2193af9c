/** What runs of workers have in the hub, for commands of any machine. */
import { join } from 'node:path';
import { fetchRunFiles } from '../../git/hub/fetch-run-files.ts';
import { deleteRefs, listRefs } from '../../git/hub/hub.ts';
import { OWN_REFS } from '../../git/worktree-names.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import type { Site } from '../site.ts';
import { createSiteGit } from '../site-git.ts';

type OfGit = Pick<Site, 'workspace' | 'environment'>;

/** Brings the logs, prompts and responses of a run into its folder. `caches`: the user's cache folder. */
export async function fetchFilesOf(
  site: OfGit,
  {
    address,
    runId,
    folder,
    caches,
  }: { readonly address: string; readonly runId: RunId; readonly folder: string; readonly caches: string },
): Promise<Result<void, string>> {
  const fetched = await fetchRunFiles({
    ...{ address, runId, folder },
    cache: join(caches, 'hubs', sha256(address).slice(0, 16)),
    gitIn: (place) => createSiteGit(site, place),
  });
  return fetched.type === 'ok' ? ok(undefined) : error(describeFailure(fetched.error));
}

export async function removeFromHub(
  site: OfGit,
  { address, runId }: { readonly address: string; readonly runId: RunId },
): Promise<Result<void, string>> {
  const hub = { git: createSiteGit(site, site.workspace), address };
  const gone = await deleteRefs(hub, `${OWN_REFS}${runId}/*`);
  return gone.type === 'ok' ? ok(undefined) : error(describeFailure(gone.error));
}

export async function reachHub(site: OfGit, address: string): Promise<Result<void, string>> {
  const hub = { git: createSiteGit(site, site.workspace), address };
  const listed = await listRefs(hub, `${OWN_REFS}none`);
  return listed.type === 'ok' ? ok(undefined) : error(describeFailure(listed.error));
}
