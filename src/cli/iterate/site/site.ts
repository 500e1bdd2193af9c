/** What every sub-command of iterate begins with: the settings, the workspace it speaks of, and how it says no. */
import fs from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { AgentChoice } from '../../../effects/contracts.ts';
import { claimsOf, folderClaims } from '../../../iterate/config/claims.ts';
import {
  type Config,
  type ConfigSite,
  type LayerValues,
  loadConfig,
  workspaceLayer,
} from '../../../iterate/config/layers.ts';
import { INVALID_NAME, isWorkspaceName, workspacePaths } from '../../../iterate/workspace/layout.ts';
import { loadWorkspace, type Workspace, workspaceNames } from '../../../iterate/workspace/workspaces.ts';
import type { JsonValue } from '../../../model/json.ts';
import { nearest } from '../../../model/suggest.ts';
import type { Claim } from '../../../store/trust.ts';
import type { CliContext } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { TrustOption } from '../../run-options.ts';
import { siteOf } from '../../site.ts';

export interface GlobalFlags {
  readonly workspacesDir?: string;
  readonly templatesDir?: string;
  readonly archiveDir?: string;
  readonly colors?: boolean;
  readonly verbose?: boolean;
  readonly trust?: boolean;
}

export interface IterateSite {
  readonly context: CliContext;
  readonly config: Config;
  readonly configSite: ConfigSite;
  readonly workspacesDir: string;
  /** `--trust`. */
  readonly trust: boolean;
}

/** The folder of a workspace. */
export type FoundWorkspace = Pick<Workspace, 'name' | 'paths'>;

export interface OpenedWorkspace extends Workspace {
  /** With the workspace's own settings. */
  readonly config: Config;
}

/** Undefined: it was refused, and said why. */
export function openSite(context: CliContext, flags: GlobalFlags): IterateSite | undefined {
  const configSite: ConfigSite = { projectRoot: context.workspace, env: process.env };
  const loaded = loadConfig(configSite);
  if (loaded.type === 'error') return refuse(context, loaded.error);
  const config = loaded.value.with(
    commandLine({ ...folderValues(flags), colors: flags.colors === false ? false : undefined }),
  );
  const workspacesDir = config.folder('workspacesDir');
  return { context, config, configSite, workspacesDir, trust: flags.trust === true };
}

/**
 * Before anything is started for a workspace, or any message sent: whether the user knows what the project's files set. `agent`: the one that
 * is started without a person at it.
 */
export async function mayStart(
  { context, trust }: IterateSite,
  config: Config,
  agent?: AgentChoice,
): Promise<boolean> {
  const agents = agent?.type === 'builtin' ? [agent.adapter] : [];
  const { agentClaims } = await import('../../../operations/trust/agent-settings.ts');
  const claims = [...claimsOf(config, context.workspace), ...agentClaims(siteOf(context), agents)];
  return allows(context, { claims, flags: { trust, quiet: config.get('outputLevel') === 'quiet' } });
}

/** Before a folder outside is used that a file of the project names. */
export function mayUseFolders({ context, config, trust }: IterateSite): Promise<boolean> {
  return allows(context, { claims: folderClaims(config, context.workspace), flags: { trust } });
}

async function allows(
  context: CliContext,
  asked: { readonly claims: readonly Claim[]; readonly flags: TrustOption },
): Promise<boolean> {
  if (asked.claims.length === 0) return true;
  const { isAllowed } = await import('../../trust/with-trust.ts');
  if (await isAllowed(context, { folder: context.workspace, ...asked })) return true;
  context.exitCode = EXIT.failed;
  return false;
}

/** What the user sets with a command of ours needs no question, unless a file has set something beside it that does. */
export async function trustSettings({ context }: IterateSite, before: Config, after: Config): Promise<void> {
  const [old, now] = [before, after].map((config) => claimsOf(config, context.workspace));
  if (now === undefined || now.length === 0) return;
  const { vouch } = await import('../../trust/with-trust.ts');
  await vouch(context, { folder: context.workspace, before: old ?? [], after: now });
}

function folderValues({ workspacesDir, templatesDir, archiveDir }: GlobalFlags) {
  return { workspacesDir, templatesDir, archiveDir };
}

/** What was given on the command line, as a layer; what was not given hides nothing. */
export function commandLine(values: { readonly [key: string]: JsonValue | undefined }): LayerValues {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { layer: 'command line', values: Object.fromEntries(given) as LayerValues['values'] };
}

/** The folder, whatever is in it. */
export function findWorkspace(site: IterateSite, name: string): FoundWorkspace | undefined {
  const { context, workspacesDir } = site;
  if (!isWorkspaceName(name)) return refuse(context, INVALID_NAME);
  const paths = workspacePaths(workspacesDir, name);
  if (fs.existsSync(paths.folder)) return { name, paths };
  return refuse(context, `Workspace not found: ${name}`, notFoundHelp(workspacesDir, name));
}

export function openWorkspace(site: IterateSite, name: string): OpenedWorkspace | undefined {
  const { context, workspacesDir } = site;
  if (findWorkspace(site, name) === undefined) return undefined;
  const loaded = loadWorkspace(workspacesDir, name);
  if (loaded.type === 'error')
    return refuse(
      context,
      loaded.error.type === 'broken' ? loaded.error.message : `Workspace not found: ${name}`,
    );
  const layer = workspaceLayer(loaded.value.metadata, loaded.value.paths.metadata);
  if (layer.type === 'error') return refuse(context, layer.error);
  return { ...loaded.value, config: site.config.with(layer.value) };
}

function notFoundHelp(workspacesDir: string, name: string): string {
  const near = nearest(name, workspaceNames(workspacesDir));
  return near === undefined ? `claude-iterate init ${name}` : `did you mean \`${near}\`?`;
}

/** Says what is wrong; answers nothing, for the caller to give up with. */
export function refuse(context: CliContext, problem: string, help?: string): undefined {
  context.err(`error: ${problem}\n${help === undefined ? '' : `help: ${help}\n`}`);
  context.exitCode = EXIT.failed;
  return undefined;
}

/** Inside the project by its relative path. */
export function shownPath(context: CliContext, path: string): string {
  const inside = relative(context.workspace, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
