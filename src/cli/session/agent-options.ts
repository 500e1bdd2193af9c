import { type Command, InvalidArgumentError, Option } from 'commander';
import { agentNamed } from '../../operations/agent-named.ts';
import type { SessionAgent } from '../../operations/sessions/agent.ts';
import { addTrustOption, type TrustOption } from '../run-options.ts';

export interface AgentFlags extends TrustOption {
  readonly agent?: string;
  readonly model?: string;
  readonly dangerouslySkipPermissions?: boolean;
}

export function addAgentOptions(command: Command): Command {
  return addTrustOption(command)
    .addOption(
      new Option(
        '--agent <name>',
        'claude, gemini, codex, opencode, copilot, qwen, mock, or a command that reads the prompt from standard input (default: claude)',
      ).argParser(checkAgent),
    )
    .option('--model <name>', 'model of the agent')
    .option('--dangerously-skip-permissions', 'let the agent work without permission prompts');
}

function checkAgent(name: string): string {
  const agent = agentNamed(name);
  if (agent.type === 'error') throw new InvalidArgumentError(agent.error);
  return name;
}

export function sessionAgent({ agent, model, dangerouslySkipPermissions }: AgentFlags): SessionAgent {
  return { agent, model, skipsPermissions: dangerouslySkipPermissions };
}
