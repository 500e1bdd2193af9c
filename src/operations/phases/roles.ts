/** The role files of agents: those of the project, and the user's own. */
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import type { PhasesDocument } from '../../phases/document.ts';
import type { Site } from '../site.ts';

/** Claude Code brings this one along. */
const BUILT_IN_ROLES = ['general-purpose'];

/** Where Claude Code keeps what belongs to the user. */
export function claudeFolder({ environment }: Pick<Site, 'environment'>): string {
  return environment['CLAUDE_CONFIG_DIR'] ?? join(os.homedir(), '.claude');
}

/** Names of the agents that have a role file. */
export function rolesThere(site: Pick<Site, 'workspace' | 'environment'>): readonly string[] {
  const folders = [join(site.workspace, '.claude', 'agents'), join(claudeFolder(site), 'agents')];
  const names = folders.flatMap((folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []));
  return [...new Set(names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3)))].sort();
}

/** Of the phases that are still to be done. */
export function rolesMissing(
  site: Pick<Site, 'workspace' | 'environment'>,
  { phases }: PhasesDocument,
): readonly string[] {
  const there = [...rolesThere(site), ...BUILT_IN_ROLES, ''];
  const wanted = phases.filter(({ status }) => status !== 'completed').map(({ agent }) => agent);
  return [...new Set(wanted)].filter((name) => !there.includes(name));
}
