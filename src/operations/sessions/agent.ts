/** The agent that works on a session, and its role in the project. */
import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { isSafeName } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { AgentOptions } from '../../session/agent-request.ts';
import { roleText } from '../../session/role-text.ts';
import { ownPath } from '../../store/own-path.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { agentNamed } from '../agent-named.ts';
import type { NotTrusted, Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { mayStartAgents } from '../trust/agent-settings.ts';

export interface SessionAgent {
  /** `claude` (default), `gemini`, `codex`, `opencode`, `copilot`, `qwen`, `mock`, or a command line that reads the prompt from standard input. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** Run without permission prompts. */
  readonly skipsPermissions?: boolean | undefined;
}

export function agentOptions({
  agent,
  model,
  skipsPermissions,
}: SessionAgent): Result<AgentOptions, Problem> {
  const named = agentNamed(agent ?? 'claude');
  if (named.type === 'error') return error({ type: 'invalid-agent', reason: named.error });
  return ok({
    agent: named.value,
    ...defined({ model }),
    ...(skipsPermissions === true ? { permissions: 'bypass' } : {}),
  });
}

export function mayStartAgent(site: Site, { agent }: AgentOptions): Result<void, NotTrusted> {
  return mayStartAgents(site, agent.type === 'builtin' ? [agent.adapter] : []);
}

/** The project's role files in `.claude/agents` for these roles. */
export function readRoles(
  { workspace }: Pick<Site, 'workspace'>,
  names: Iterable<string>,
): { readonly [name: string]: string } {
  const folder = ownPath(workspace, '.claude/agents');
  const roles: Record<string, string> = {};
  for (const name of new Set(names)) {
    if (!isSafeName(name)) continue;
    try {
      const text = readPlainText(join(folder, `${name}.md`));
      roles[name] = roleText(text);
    } catch {
      // No file for this role: the agent works without one.
    }
  }
  return roles;
}
