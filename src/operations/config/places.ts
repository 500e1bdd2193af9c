/** Where settings are. Light: looking whether there are any loads no parser. */
import fs from 'node:fs';
import { join } from 'node:path';
import { orchestrateFolder } from '../../store/layout.ts';
import { userFolder } from '../../store/user-folder.ts';
import type { Site } from '../site.ts';

const NAME = 'config.yaml';
const ENGINE_NAME = 'engine.yaml';

/** Relative to the workspace, as messages name it. */
export const WORKSPACE_CONFIG = `.orchestrate/${NAME}`;

export const ENGINE_CONFIG = `.orchestrate/${ENGINE_NAME}`;

export function engineConfigPath(workspace: string): string {
  return join(orchestrateFolder(workspace), ENGINE_NAME);
}

export function hasEngineConfig(workspace: string): boolean {
  return fs.existsSync(engineConfigPath(workspace));
}

export function workspaceConfigPath(workspace: string): string {
  return join(orchestrateFolder(workspace), NAME);
}

export function userConfigPath({ environment }: Pick<Site, 'environment'>): string {
  return join(userFolder(environment), NAME);
}

export function hasConfig(site: Pick<Site, 'workspace' | 'environment'>): boolean {
  return fs.existsSync(workspaceConfigPath(site.workspace)) || fs.existsSync(userConfigPath(site));
}
