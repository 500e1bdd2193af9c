/** Brings the files of a run that workers carried out through a hub into the workspace: as a branch, and into the working tree if asked to. */
import type { Brought } from '../../git/bring-in.ts';
import { listRefs } from '../../git/hub/hub.ts';
import { pullRun } from '../../git/hub/pull-run.ts';
import { inTurn } from '../../git/in-turn.ts';
import { openRepository } from '../../git/repository.ts';
import { shownAddress } from '../../model/address.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import { orchestrateFolder, pullsFolder } from '../../store/layout.ts';
import { makeOrchestrateFolder } from '../../store/orchestrate-folder.ts';
import { engineSettings } from '../config/engine-settings.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { createSiteGit } from '../site-git.ts';

export interface PullInput {
  /** The id, a unique prefix of it, or `last`. */
  readonly run: string;
  /** Also into the working tree. */
  readonly merge: boolean;
}

export interface FilesPulled {
  readonly runId: RunId;
  readonly branch: string;
  readonly commit: string;
  /** What the run has changed, from the top of the repository. */
  readonly files: readonly string[];
  /** With `merge`: what was brought into the working tree. */
  readonly merged?: readonly string[];
  /** Branches with work that could not be merged with the rest. */
  readonly kept: readonly string[];
}

const { signal: NEVER } = new AbortController();

export async function pullFiles(site: Site, input: PullInput): Promise<Result<FilesPulled, Problem>> {
  const settings = engineSettings(site);
  if (settings.type === 'error') return settings;
  const { workspace } = settings.value;
  if (workspace?.type !== 'git') return error({ type: 'no-hub' });
  const { hub } = workspace;
  const git = createSiteGit(site, site.workspace);
  const repository = await openRepository(git);
  if (repository.type === 'error') return error({ type: 'no-repository', workspace: site.workspace });
  const heads = await listRefs({ git, address: hub }, 'refs/orchestrate/*/head');
  if (heads.type === 'error') return failed(hub, heads.error);
  const runId = findIn([...heads.value.keys()], input.run);
  if (runId === undefined) return error({ type: 'not-in-hub', run: input.run, hub: shownAddress(hub) });
  makeOrchestrateFolder(orchestrateFolder(site.workspace));
  const pulling = { address: hub, runId, folder: pullsFolder(site.workspace, runId), merge: input.merge };
  const pulled = await inTurn(repository.value, NEVER, () => pullRun(repository.value, pulling));
  if (pulled.type === 'error') {
    const failure = pulled.error;
    return failure.type === 'conflict'
      ? error({ type: 'pull-conflict', runId, branch: failure.branch ?? '', failure })
      : failed(hub, failure);
  }
  switch (pulled.value.type) {
    case 'pulled': {
      const { branch, commit, files, brought, kept } = pulled.value;
      return ok({ runId, branch, commit, files, kept, ...defined({ merged: mergedIn(brought) }) });
    }
    case 'not-in-hub':
      return error({ type: 'not-in-hub', run: input.run, hub: shownAddress(hub) });
    case 'branch-changed':
      return error({ type: 'branch-changed', branch: pulled.value.branch });
    case 'branch-in-use': {
      const { branch, folder } = pulled.value;
      return error({ type: 'branch-checked-out', branch, folder });
    }
    default:
      return unreachable(pulled.value);
  }
}

function mergedIn(brought: Brought | undefined): readonly string[] | undefined {
  return brought?.files;
}

function failed(hub: string, failure: Failure): Result<never, Problem> {
  return error({ type: 'hub-failed', hub: shownAddress(hub), reason: describeFailure(failure) });
}

/** Ids sort by time. Undefined if there is none, or more than one. */
function findIn(heads: readonly string[], asked: string): RunId | undefined {
  const runIds = heads
    .map((ref) => parseRunId(ref.split('/')[2] ?? ''))
    .filter((runId) => runId !== undefined)
    .sort();
  if (asked === 'last') return runIds.at(-1);
  const found = runIds.filter((runId) => runId.startsWith(asked));
  return found.length === 1 || found[0] === asked ? found[0] : undefined;
}
