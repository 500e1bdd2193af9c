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
 * Before anything is started for a workspace, or any message sent: whether the user knows what the project's files set. `agent`: the one that
 * is started without a person at it.
 */
export function mayStart(site: Site, config: Config, agent?: ChosenAgent): Result<void, NotTrusted> {
  const choice = agent?.choice;
  const agents = choice?.type === 'builtin' ? [choice.adapter] : [];
  return mayRun(site, site.workspace, [...claimsOf(config, site.workspace), ...agentClaims(site, agents)]);
}

/**
 * What the user sets with an operation of ours needs no question, unless a file has set something beside it that does. Answers as
 * `trustOwn`.
 */
export function trustSettings(site: Site, before: Config, after: Config): Promise<string | undefined> {
  const [old, now] = [before, after].map((config) => claimsOf(config, site.workspace));
  return trustOwn(site, { folder: site.workspace, before: old ?? [], after: now ?? [] });
}
