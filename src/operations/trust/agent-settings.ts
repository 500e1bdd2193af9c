/**
 * Settings in a folder for agents started in it. An agent CLI asks about them when a user starts it, but not when a program does: Claude
 * Code then runs the hooks and servers that a project names, and Codex the servers if it works without permission prompts.
 */

import fs from 'node:fs';
import os from 'node:os';
import { dirname, join, relative } from 'node:path';
import { isJsonObject, parseJsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import { findFiles } from '../../store/glob.ts';
import { escapeGlob } from '../../store/glob-pattern.ts';
import { readForeign } from '../../store/read-foreign.ts';
import type { Claim } from '../../store/trust.ts';
import { parseVariables } from '../../template/parse-variables.ts';
import { isReference } from '../../template/template.ts';
import type { NotTrusted } from '../problem.ts';
import type { Environment, Site } from '../site.ts';
import { mayRun } from './may-run.ts';

const FILES: { readonly [agent: string]: readonly string[] } = {
  claude: ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'],
  gemini: ['.gemini/settings.json'],
  codex: ['.codex/config.toml'],
};
/** Larger files are not settings; agents do not read them either. */
const MOST_BYTES = 1024 * 1024;

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
    const files = FILES[agent] ?? [];
    const started = [workspace, ...inside.flatMap((folder) => foldersFor(workspace, folder, files))];
    for (const folder of new Set(started)) {
      const folders = upToRepository(folder);
      if (agent === 'claude' && isTrustedByClaude(environment, folders)) continue;
      const paths = folders.flatMap((each) => files.map((file) => join(each, file)));
      for (const claim of paths.flatMap((path) => claimOf(workspace, path))) claims.set(claim.name, claim);
    }
  }
  return [...claims.values()];
}

/** A folder with a variable may be any folder below its known part that has settings. */
function foldersFor(workspace: string, folder: string, files: readonly string[]): readonly string[] {
  const [known = ''] = parseVariables(folder).template;
  if (!folder.includes('${')) return [join(workspace, folder)];
  const above = isReference(known) ? '' : known.slice(0, known.lastIndexOf('/') + 1);
  return files.flatMap((file) => {
    const found = findFiles(workspace, `${escapeGlob(above)}**/${file}`);
    return found.type === 'error'
      ? []
      : found.value.map((path) => join(workspace, path.slice(0, -file.length - 1)));
  });
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

function claimOf(folder: string, path: string): readonly Claim[] {
  let text: string;
  try {
    text = readForeign(path, MOST_BYTES);
  } catch {
    // Missing or unreadable: the agent cannot read it either.
    return [];
  }
  const value = parseJsonObject(text) ?? text;
  const isEmpty = isJsonObject(value) ? Object.keys(value).length === 0 : value.trim() === '';
  const file = relative(folder, path);
  return isEmpty ? [] : [{ name: file, value, file }];
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
