/** The loops of a project: where they are kept, and the settings that hold for all of them. */
import { folderClaims } from '../../../iterate/config/claims.ts';
import {
  type Config,
  type ConfigSite,
  type LayerValues,
  loadConfig,
} from '../../../iterate/config/layers.ts';
import type { JsonValue } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { type NotTrusted, type Refused, refused } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { mayRun } from '../../trust/may-run.ts';

/** What the caller sets, before every file of settings. */
export interface LoopSettings {
  readonly workspacesDir?: string | undefined;
  readonly templatesDir?: string | undefined;
  readonly archiveDir?: string | undefined;
  readonly colors?: boolean | undefined;
}

/** Asked of the loops of a project. */
export interface OfLoops {
  readonly settings?: LoopSettings;
}

/** Asked of one of them. */
export interface OfLoop extends OfLoops {
  readonly name: string;
}

export interface Loops {
  readonly site: Site;
  readonly config: Config;
  readonly configSite: ConfigSite;
  readonly workspacesDir: string;
}

/** Unless the files of the project name folders outside it that the user has not agreed to. */
export function openLoops(site: Site, asked: OfLoops): Result<Loops, Refused | NotTrusted> {
  const loops = openSettings(site, asked);
  if (loops.type === 'error') return loops;
  const may = mayRun(site, site.workspace, folderClaims(loops.value.config, site.workspace));
  return may.type === 'ok' ? loops : may;
}

/** The settings alone: nothing in the folders is used. */
export function openSettings(site: Site, { settings = {} }: OfLoops): Result<Loops, Refused> {
  const configSite: ConfigSite = { projectRoot: site.workspace, env: site.environment };
  const loaded = loadConfig(configSite);
  if (loaded.type === 'error') return error(refused('invalid', loaded.error));
  const { workspacesDir, templatesDir, archiveDir, colors } = settings;
  const config = loaded.value.with(givenLayer({ workspacesDir, templatesDir, archiveDir, colors }));
  return ok({ site, config, configSite, workspacesDir: config.folder('workspacesDir') });
}

/** What the caller gave, as the strongest layer; what was not given hides nothing. */
export function givenLayer(values: { readonly [key: string]: JsonValue | undefined }): LayerValues {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { layer: 'command line', values: Object.fromEntries(given) as LayerValues['values'] };
}
