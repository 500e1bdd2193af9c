/** The machines that a workspace uses, as commands reach them. */
import type { Machines } from '../../cluster/connect.ts';
import { shownAddress } from '../../model/address.ts';
import type { EngineSettings } from '../../model/engine-settings.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { engineSettings, isHubAddress } from '../../operations/config/engine-settings.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Site } from '../../operations/site.ts';
import type { CliContext } from '../context.ts';
import { siteOf } from '../site.ts';

export interface Reached {
  readonly machines: Machines;
  readonly settings: EngineSettings;
}

/** The settings for this workspace, if its files can be used from here. */
export function usableSettings(site: Site): Result<EngineSettings, Problem> {
  const settings = engineSettings(site);
  if (settings.type === 'error') return settings;
  const { workspace } = settings.value;
  if (workspace?.type === 'folder' && workspace.folder !== site.workspace)
    return error({ type: 'other-folder', folder: workspace.folder, workspace: site.workspace });
  return settings;
}

/** `hub`: given by whoever starts the worker, who needs no files of the project then. */
export function workerSettings(site: Site, hub: string | undefined): Result<EngineSettings, Problem> {
  if (hub === undefined) return usableSettings(site);
  if (!isHubAddress(hub)) return error({ type: 'no-hub-address', hub: shownAddress(hub) });
  const settings = engineSettings(site);
  if (settings.type === 'error') return settings;
  return ok({ ...settings.value, workspace: { type: 'git', hub, include: [] } });
}

/** The hub, as it may be shown. */
export function hubOf({ workspace }: EngineSettings): string {
  return workspace?.type === 'git' ? shownAddress(workspace.hub) : '';
}

export async function reachMachines(
  context: CliContext,
  settings: EngineSettings,
): Promise<Result<Reached, Problem>> {
  const { connect } = await import('../../cluster/connect.ts');
  const { environment } = siteOf(context);
  const machines = await connect({ settings, environment, dist: context.dist });
  return machines.type === 'ok' ? ok({ machines: machines.value, settings }) : machines;
}
