/** The loops of a project: their folders and shared settings. */
import { folderClaims } from '../../../iterate/config/claims.ts';
import {
  type Config,
  type ConfigSite,
  type LayerValues,
  loadConfig,
} from '../../../iterate/config/layers.ts';
import type { JsonValue } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { mayRun } from '../../trust/may-run.ts';

/** The caller's settings; they override every settings file. */
export interface LoopSettings {
  readonly workspacesDir?: string | undefined;
  readonly templatesDir?: string | undefined;
  readonly archiveDir?: string | undefined;
  readonly colors?: boolean | undefined;
}

/** Options of operations on the loops of a project. */
export interface OfLoops {
  readonly settings?: LoopSettings;
}

/** Options of operations on one loop. */
export interface OfLoop extends OfLoops {
  readonly name: string;
}

export interface Loops {
  readonly site: Site;
  readonly config: Config;
  readonly configSite: ConfigSite;
  readonly workspacesDir: string;
}

/** Problem if the project's files name folders outside it that the user has not trusted. */
export function openLoops(site: Site, asked: OfLoops): Result<Loops, Problem> {
  const loops = openSettings(site, asked);
  if (loops.type === 'error') return loops;
  const may = mayRun(site, site.workspace, folderClaims(loops.value.config, site.workspace));
  return may.type === 'ok' ? loops : may;
}

/** Reads only the settings, not the folders. */
export function openSettings(site: Site, { settings = {} }: OfLoops): Result<Loops, Problem> {
  const configSite: ConfigSite = { projectRoot: site.workspace, env: site.environment };
  const loaded = loadConfig(configSite);
  if (loaded.type === 'error') return error({ type: 'invalid-loop-settings', reason: loaded.error });
  const { workspacesDir, templatesDir, archiveDir, colors } = settings;
  const config = loaded.value.with(givenLayer({ workspacesDir, templatesDir, archiveDir, colors }));
  return ok({ site, config, configSite, workspacesDir: config.folder('workspacesDir') });
}

/** The caller's settings as the strongest layer; omitted ones override nothing. */
export function givenLayer(values: { readonly [key: string]: JsonValue | undefined }): LayerValues {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { layer: 'command line', values: Object.fromEntries(given) as LayerValues['values'] };
}
