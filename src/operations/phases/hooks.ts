/** This program's hooks in the settings of Claude Code. */
import fs from 'node:fs';
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
import { findProgram } from '../../process/find-program.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { agentClaims } from '../trust/agent-settings.ts';
import { trustOwn } from '../trust/trust-own.ts';
import { claudeFolder } from './roles.ts';

export { HOOKS } from '../../phases/settings/hooks.ts';
export { SCOPES, type Scope } from '../../phases/settings/settings-file.ts';

export interface InstallHooks {
  readonly scope: Scope;
  /** How the hooks call this program. Default: by its name if it is on PATH. */
  readonly command?: string;
  /** This program: Node and its script. */
  readonly own: readonly [string, string];
}

export interface HooksInstalled {
  readonly path: string;
  /** They were already installed. */
  readonly isUnchanged: boolean;
  /** The program that the hooks run, if it is not this one. */
  readonly otherProgram?: string;
  /** Why the user will still be asked to trust these settings. */
  readonly untrusted?: string;
}

export async function installHooks(
  site: Site,
  asked: InstallHooks,
): Promise<Result<HooksInstalled, Problem>> {
  const { scope } = asked;
  const found = programFor(site, asked);
  if (found.type === 'error') return found;
  const { program, otherProgram } = found.value;
  if (!isOurs(`${program} hook stop`, 'stop')) return error({ type: 'not-our-program', program });
  const file = fileFor(site, scope);
  const before = agentClaims(site, ['claude']);
  const done = install(file, program);
  if (done.type === 'error') return error({ type: 'invalid-agent-settings', reason: done.error });
  const after = agentClaims(site, ['claude']);
  const untrusted = await trustOwn(site, { folder: site.workspace, before, after });
  return ok({
    path: file.path,
    isUnchanged: done.value === 'already-installed',
    ...defined({ otherProgram, untrusted }),
  });
}

const NAME = 'orchestrate';

/** Shared settings name the program, because its path is different on every machine. */
function programFor(
  { environment }: Site,
  { scope, command, own: [node, script] }: InstallHooks,
): Result<{ readonly program: string; readonly otherProgram?: string }, Problem> {
  if (command !== undefined) return ok({ program: command });
  const found = findProgram(NAME, environment['PATH']);
  if (found !== undefined) {
    const isOther = fs.realpathSync(found) !== fs.realpathSync(script);
    return ok({ program: NAME, ...(isOther ? { otherProgram: found } : {}) });
  }
  if (scope === 'local') return ok({ program: `${quoted(node)} ${quoted(script)}` });
  return error({ type: 'program-not-on-path', program: NAME, scope });
}

/** Quotes a word for the shell that runs hooks. */
function quoted(word: string): string {
  return `"${word.replace(/[\\"$`]/g, '\\$&')}"`;
}

export interface HooksUninstalled {
  readonly path: string;
  /** None were installed. */
  readonly isUnchanged: boolean;
}

export function uninstallHooks(
  site: Site,
  { scope }: Pick<InstallHooks, 'scope'>,
): Result<HooksUninstalled, Problem> {
  const file = fileFor(site, scope);
  const done = uninstall(file);
  if (done.type === 'error') return error({ type: 'invalid-agent-settings', reason: done.error });
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
