/** This program's hooks in the settings of Claude Code. */
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { HOOKS, isOurs } from '../../phases/settings/hooks.ts';
import {
  install,
  installedHooks,
  SCOPES,
  type Scope,
  type SettingsFile,
  settingsFile,
  uninstall,
} from '../../phases/settings/settings-file.ts';
import { type Refused, refused } from '../problem.ts';
import type { Site } from '../site.ts';
import { agentClaims } from '../trust/agent-settings.ts';
import { trustOwn } from '../trust/trust-own.ts';
import { claudeFolder } from './roles.ts';

export { HOOKS } from '../../phases/settings/hooks.ts';
export { SCOPES, type Scope } from '../../phases/settings/settings-file.ts';

export interface InstallHooks {
  readonly scope: Scope;
  /** How the hooks call this program. */
  readonly program: string;
}

export interface HooksInstalled {
  readonly path: string;
  /** They were already installed. */
  readonly isUnchanged: boolean;
  /** Why the user will still be asked to trust these settings. */
  readonly untrusted?: string;
}

export async function installHooks(
  site: Site,
  { scope, program }: InstallHooks,
): Promise<Result<HooksInstalled, Refused>> {
  if (!isOurs(`${program} hook stop`, 'stop'))
    return error(refused('invalid', `\`${program}\` does not end in \`orchestrate\``));
  const file = fileFor(site, scope);
  const before = agentClaims(site, ['claude']);
  const done = install(file, program);
  if (done.type === 'error') return error(refused('invalid', done.error));
  const after = agentClaims(site, ['claude']);
  const untrusted = await trustOwn(site, { folder: site.workspace, before, after });
  return ok({
    path: file.path,
    isUnchanged: done.value === 'already-installed',
    ...defined({ untrusted }),
  });
}

export interface HooksUninstalled {
  readonly path: string;
  /** None were installed. */
  readonly isUnchanged: boolean;
}

export function uninstallHooks(
  site: Site,
  { scope }: Pick<InstallHooks, 'scope'>,
): Result<HooksUninstalled, Refused> {
  const file = fileFor(site, scope);
  const done = uninstall(file);
  if (done.type === 'error') return error(refused('invalid', done.error));
  return ok({ path: file.path, isUnchanged: done.value === 'not-installed' });
}

export interface FoundHooks extends SettingsFile {
  readonly hooks: readonly { readonly event: string; readonly command: string }[];
  /** Events without a hook, if other events have one. */
  readonly missing: readonly string[];
}

/** Lists which hooks are installed, and where. */
export function findInstalledHooks(site: Site): readonly FoundHooks[] {
  return SCOPES.map((scope) => {
    const file = fileFor(site, scope);
    const hooks = installedHooks(file);
    const events = hooks.map(({ event }) => event);
    const absent = HOOKS.map(({ event }) => event).filter((event) => !events.includes(event));
    return { ...file, hooks, missing: events.length === 0 ? [] : absent };
  });
}

function fileFor(site: Site, scope: Scope): SettingsFile {
  return settingsFile(scope, { workspace: site.workspace, claudeHome: claudeFolder(site) });
}
