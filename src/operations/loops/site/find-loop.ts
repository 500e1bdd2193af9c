import fs from 'node:fs';
import { type Config, workspaceLayer } from '../../../iterate/config/layers.ts';
import { isWorkspaceName, workspacePaths } from '../../../iterate/workspace/layout.ts';
import { loadWorkspace, type Workspace, workspaceNames } from '../../../iterate/workspace/workspaces.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { nearest } from '../../../model/suggest.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { type Loops, type OfLoop, openLoops } from './loops.ts';

/** The folder of a workspace. */
export type FoundWorkspace = Pick<Workspace, 'name' | 'paths'>;

export interface OpenedWorkspace extends Workspace {
  /** Settings including the workspace's own. */
  readonly config: Config;
}

export interface OpenedLoop {
  readonly loops: Loops;
  readonly workspace: OpenedWorkspace;
}

/** Opens a loop; most operations on a loop start with this. */
export function openLoop(site: Site, asked: OfLoop): Result<OpenedLoop, Problem> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const workspace = openWorkspace(loops.value, asked.name);
  return workspace.type === 'ok' ? ok({ loops: loops.value, workspace: workspace.value }) : workspace;
}

/** The folder, whatever it contains. */
export function findWorkspace({ workspacesDir }: Loops, name: string): Result<FoundWorkspace, Problem> {
  if (!isWorkspaceName(name)) return error({ type: 'invalid-loop-name' });
  const paths = workspacePaths(workspacesDir, name);
  if (fs.existsSync(paths.folder)) return ok({ name, paths });
  return error({ type: 'loop-not-found', name, near: nearest(name, workspaceNames(workspacesDir)) });
}

export function openWorkspace(loops: Loops, name: string): Result<OpenedWorkspace, Problem> {
  const found = findWorkspace(loops, name);
  if (found.type === 'error') return found;
  const loaded = loadWorkspace(loops.workspacesDir, name);
  if (loaded.type === 'error')
    return error(
      loaded.error.type === 'broken'
        ? { type: 'broken-loop', reason: loaded.error.message }
        : { type: 'loop-without-metadata', name },
    );
  const layer = workspaceLayer(loaded.value.metadata, loaded.value.paths.metadata);
  if (layer.type === 'error') return error({ type: 'invalid-loop-settings', reason: layer.error });
  return ok({ ...loaded.value, config: loops.config.with(layer.value) });
}
