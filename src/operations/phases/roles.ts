/** The role files of agents, from the project and from the user's folder. */
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { ANY_AGENT, type PhasesDocument } from '../../phases/document.ts';
import type { Site } from '../site.ts';

/** Built into Claude Code. */
const BUILT_IN_ROLES = ['general-purpose'];

/** The user's Claude Code folder. */
export function claudeFolder({ environment }: Pick<Site, 'environment'>): string {
  return environment['CLAUDE_CONFIG_DIR'] ?? join(os.homedir(), '.claude');
}

/** The names of the agents that have a role file. */
export function rolesThere(site: Pick<Site, 'workspace' | 'environment'>): readonly string[] {
  const folders = [join(site.workspace, '.claude', 'agents'), join(claudeFolder(site), 'agents')];
  const names = folders.flatMap((folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []));
  return [...new Set(names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3)))].sort();
}

/** The agents of open phases that have no role file. */
export function rolesMissing(
  site: Pick<Site, 'workspace' | 'environment'>,
  { phases }: PhasesDocument,
): readonly string[] {
  const there = [...rolesThere(site), ...BUILT_IN_ROLES, ANY_AGENT, ''];
  const wanted = phases.filter(({ status }) => status !== 'completed').map(({ agent }) => agent);
  return [...new Set(wanted)].filter((name) => !there.includes(name));
}
