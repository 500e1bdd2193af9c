/** A conversation takes the agent's own tools away, but some agents still start the servers and plug-ins of the folder. */
import { relative } from 'node:path';
import type { ConverseInput } from '../../converse/input.ts';
import type { Result } from '../../model/result.ts';
import type { NotTrusted } from '../problem.ts';
import type { Site } from '../site.ts';
import { agentClaims } from '../trust/agent-settings.ts';
import { mayRun } from '../trust/may-run.ts';
import type { Claim } from '../trust-book.ts';

export interface AgentPlace {
  /** The folder of the conversation. */
  readonly folder: string;
  /** Where the agent works. */
  readonly root: string;
  readonly agent: Pick<ConverseInput['agent'], 'choice'>;
}

/** Claude Code is started without the settings of the folder (`--setting-sources=user --strict-mcp-config`). */
export function conversationAgentClaims(
  { environment }: Pick<Site, 'environment'>,
  { folder, root, agent: { choice } }: AgentPlace,
): readonly Claim[] {
  if (choice.type !== 'builtin' || choice.adapter === 'claude') return [];
  return agentClaims({ workspace: folder, environment }, [choice.adapter], [relative(folder, root)]);
}

export function mayStartAgentOf(site: Site, place: AgentPlace): Result<void, NotTrusted> {
  return mayRun(site, place.folder, conversationAgentClaims(site, place));
}
