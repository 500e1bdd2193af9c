import { claimsOf } from '../../../iterate/config/claims.ts';
import type { Config } from '../../../iterate/config/layers.ts';
import type { Result } from '../../../model/result.ts';
import type { NotTrusted } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { agentClaims } from '../../trust/agent-settings.ts';
import { mayRun } from '../../trust/may-run.ts';
import { trustOwn } from '../../trust/trust-own.ts';
import type { ChosenAgent } from './agent.ts';

/**
 * Checks, before starting anything or sending any message for a workspace, that the user trusts the project's settings. `agents`: those
 * that will run unattended.
 */
export function mayStart(
  site: Site,
  config: Config,
  agents: readonly ChosenAgent[] = [],
): Result<void, NotTrusted> {
  const known = agents.flatMap(({ choice }) => (choice.type === 'builtin' ? [choice.adapter] : []));
  return mayRun(site, site.workspace, [...claimsOf(config, site.workspace), ...agentClaims(site, known)]);
}

/**
 * Settings changed with this program need no question, unless a file has other settings that do. Returns what
 * `trustOwn` does.
 */
export function trustSettings(site: Site, before: Config, after: Config): Promise<string | undefined> {
  const [old, now] = [before, after].map((config) => claimsOf(config, site.workspace));
  return trustOwn(site, { folder: site.workspace, before: old ?? [], after: now ?? [] });
}
