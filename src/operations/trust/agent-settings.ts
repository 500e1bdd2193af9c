/**
 * Settings in a folder for agents started in it. An agent CLI asks about them when a user starts it, but not when a program does: Claude
 * Code then runs the hooks and servers that a project names, and Codex the servers if it works without permission prompts.
 */

import fs from 'node:fs';
import os from 'node:os';
import { dirname, join, relative } from 'node:path';
import { isJsonObject, parseJsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import { readForeign } from '../../store/read-foreign.ts';
import type { Claim } from '../../store/trust.ts';
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

/** Checked before agents are started in the workspace. */
export function mayStartAgents(site: Site, agents: Iterable<string>): Result<void, NotTrusted> {
  return mayRun(site, site.workspace, agentClaims(site, agents));
}

export function agentClaims(
  { workspace: folder, environment }: Pick<Site, 'workspace' | 'environment'>,
  agents: Iterable<string>,
): readonly Claim[] {
  const folders = upToRepository(folder);
  return [...new Set(agents)].flatMap((agent) => {
    if (agent === 'claude' && isTrustedByClaude(environment, folders)) return [];
    return folders.flatMap((each) =>
      (FILES[agent] ?? []).flatMap((file) => claimOf(folder, join(each, file))),
    );
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
