import { resolve } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { readEngineSettings } from '../config/engine-settings.ts';
import { engineConfigPath, userConfigPath, workspaceConfigPath } from '../config/places.ts';
import { readUserConfig, readWorkspaceConfig } from '../config/read-config.ts';
import type { Site } from '../site.ts';
import { machine } from '../workflows/machine.ts';
import { loadDefinition } from './load-definition.ts';

/** All errors and warnings of a workflow file on this machine, or of a file with settings. */
export async function validateFile(site: Site, file: string): Promise<readonly Diagnostic[]> {
  const path = resolve(site.workspace, file);
  const config =
    path === workspaceConfigPath(site.workspace)
      ? readWorkspaceConfig(site.workspace)
      : path === userConfigPath(site)
        ? readUserConfig(site)
        : path === engineConfigPath(site.workspace)
          ? readEngineSettings(site.workspace)
          : undefined;
  if (config !== undefined) return config.type === 'ok' ? [] : config.error;
  const loaded = await loadDefinition(site, file, { machine: machine(site) });
  return loaded.type === 'ok' ? loaded.value.warnings : loaded.error.diagnostics;
}
