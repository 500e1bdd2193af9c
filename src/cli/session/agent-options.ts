import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AgentChoice } from '../../effects/contracts.ts';
import { isSafeName } from '../../model/ids.ts';
import { agentNamed } from '../../operations/agent-named.ts';
import { mayStartAgents } from '../../operations/trust/agent-settings.ts';
import type { AgentOptions } from '../../session/agent-request.ts';
import { ownPath } from '../../store/own-path.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { CliContext } from '../context.ts';
import { addTrustOption, type TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';

export interface AgentFlags extends TrustOption {
  readonly agent?: AgentChoice;
  readonly model?: string;
  readonly dangerouslySkipPermissions?: boolean;
}

export function addAgentOptions(command: Command): Command {
  return addTrustOption(command)
    .addOption(
      new Option(
        '--agent <name>',
        'who does it: claude (where absent), gemini, codex, mock, or a command that reads the prompt from standard input',
      ).argParser(parseAgent),
    )
    .option('--model <name>', "the agent's model")
    .option('--dangerously-skip-permissions', 'let the agent work without asking for permission');
}

function parseAgent(name: string): AgentChoice {
  const agent = agentNamed(name);
  if (agent.type === 'error') throw new InvalidArgumentError(agent.error);
  return agent.value;
}

export function agentOptions(flags: AgentFlags): AgentOptions {
  return {
    agent: flags.agent ?? { type: 'builtin', adapter: 'claude' },
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.dangerouslySkipPermissions === true ? { permissions: 'bypass' } : {}),
  };
}

/** False: the agent must not be started here, and why has been said. */
export async function mayStartAgent(context: CliContext, flags: AgentFlags): Promise<boolean> {
  const { agent } = agentOptions(flags);
  const agents = agent.type === 'builtin' ? [agent.adapter] : [];
  const may = await withTrust(context, flags, () => mayStartAgents(siteOf(context), agents));
  return may !== 'not-trusted';
}

/** What the project's own files in `.claude/agents` say about these roles. */
export function readRoles(workspace: string, names: Iterable<string>): { readonly [name: string]: string } {
  const folder = ownPath(workspace, '.claude/agents');
  const roles: Record<string, string> = {};
  for (const name of new Set(names)) {
    if (!isSafeName(name)) continue;
    try {
      const text = readPlainText(join(folder, `${name}.md`));
      roles[name] = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '').trim();
    } catch {
      // The role has no file of its own: the agent works without one.
    }
  }
  return roles;
}
