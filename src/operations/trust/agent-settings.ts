/**
 * Settings in a folder for agents started in it. An agent CLI asks about them when a user starts it, but not when a program does: it then
 * runs the hooks, servers and plug-ins that a project names, and sends its prompts to the address that a project sets.
 */

import fs from 'node:fs';
import os from 'node:os';
import { dirname, join, relative } from 'node:path';
import { isJsonObject, parseJsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import { unreachable } from '../../model/unreachable.ts';
import { readForeign } from '../../store/read-foreign.ts';
import type { Claim } from '../../store/trust.ts';
import { parseVariables } from '../../template/parse-variables.ts';
import { isReference } from '../../template/template.ts';
import type { NotTrusted } from '../problem.ts';
import type { Environment, Site } from '../site.ts';
import { mayRun } from './may-run.ts';
import { foldersWithSettings, type SettingsFile, settingsIn } from './settings-files.ts';

/** Checked before agents are started in the workspace, or in `folders` of it (may contain `${…}`). */
export function mayStartAgents(
  site: Site,
  agents: Iterable<string>,
  folders: readonly string[] = [],
): Result<void, NotTrusted> {
  return mayRun(site, site.workspace, agentClaims(site, agents, folders));
}

export function agentClaims(
  { workspace, environment }: Pick<Site, 'workspace' | 'environment'>,
  agents: Iterable<string>,
  inside: readonly string[] = [],
): readonly Claim[] {
  const claims = new Map<string, Claim>();
  for (const agent of new Set(agents)) {
    const started = [workspace, ...inside.flatMap((folder) => foldersFor(workspace, folder, agent))];
    for (const folder of new Set(started)) {
      const folders = upToRepository(folder);
      if (agent === 'claude' && isTrustedByClaude(environment, folders)) continue;
      for (const file of folders.flatMap((each) => settingsIn(agent, each))) {
        const claim = claimOf(workspace, file);
        claims.set(claim.name, claim);
      }
    }
  }
  return [...claims.values()];
}

/** A folder with a variable may be any folder below its known part that has settings. */
function foldersFor(workspace: string, folder: string, agent: string): readonly string[] {
  const [known = ''] = parseVariables(folder).template;
  if (!folder.includes('${')) return [join(workspace, folder)];
  const above = isReference(known) ? '' : known.slice(0, known.lastIndexOf('/') + 1);
  return foldersWithSettings(agent, join(workspace, above));
}

/** The folder itself and its parents in the same repository. */
function upToRepository(folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    folders.push(at);
    if (fs.existsSync(join(at, '.git'))) return folders;
    if (dirname(at) === at) return [folder];
  }
}

function claimOf(workspace: string, { path, bytes, type }: SettingsFile): Claim {
  const file = relative(workspace, path);
  switch (type) {
    case 'settings': {
      const text = bytes.toString('utf8');
      return { name: file, value: parseJsonObject(text) ?? text, file };
    }
    case 'variables': {
      const names = namesOf(bytes.toString('utf8'));
      return { name: file, value: sha256(bytes), shown: `sets ${names.join(', ')}`, file };
    }
    case 'code':
      return { name: file, value: sha256(bytes), shown: 'its text', file };
    default:
      return unreachable(type);
  }
}

/** Their values may be secrets. */
function namesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^\s*(?:export\s+)?([\w.-]+)\s*[=:]/.exec(line)?.[1] ?? []);
}

/** Whether the user answered the trust question that Claude Code asks on first start in a folder. */
function isTrustedByClaude(environment: Environment, folders: readonly string[]): boolean {
  const home = environment['CLAUDE_CONFIG_DIR'] ?? environment['HOME'] ?? os.homedir();
  try {
    const known = parseJsonObject(readForeign(join(home, '.claude.json')));
    const projects = isJsonObject(known?.['projects']) ? known['projects'] : {};
    return folders.some((folder) => {
      const project = projects[folder];
      return isJsonObject(project) && project['hasTrustDialogAccepted'] === true;
    });
  } catch {
    return false;
  }
}
