import fs from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { isSafeName } from '../../model/ids.ts';
import type { AgentOptions } from '../../session/execute/input.ts';

export const AGENTS = ['claude', 'gemini', 'codex', 'mock'] as const;

export interface AgentFlags {
  readonly agent?: (typeof AGENTS)[number];
  readonly model?: string;
  readonly dangerouslySkipPermissions?: boolean;
}

export function addAgentOptions(command: Command): Command {
  return command
    .addOption(new Option('--agent <name>', 'who does it; claude where absent').choices(AGENTS))
    .option('--model <name>', "the agent's model")
    .option('--dangerously-skip-permissions', 'let the agent work without asking for permission');
}

export function agentOptions(flags: AgentFlags): AgentOptions {
  return {
    agent: { type: 'builtin', adapter: flags.agent ?? 'claude' },
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.dangerouslySkipPermissions === true ? { permissions: 'bypass' } : {}),
  };
}

/** What the project's own files in `.claude/agents` say about these roles. */
export function readRoles(workspace: string, names: Iterable<string>): { readonly [name: string]: string } {
  const roles: Record<string, string> = {};
  for (const name of new Set(names)) {
    if (!isSafeName(name)) continue;
    try {
      const text = fs.readFileSync(join(workspace, '.claude', 'agents', `${name}.md`), 'utf8');
      roles[name] = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '').trim();
    } catch {
      // The role has no file of its own: the agent works without one.
    }
  }
  return roles;
}
