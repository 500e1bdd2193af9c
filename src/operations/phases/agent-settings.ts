import type { AgentChoice } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { AgentSettings } from '../../phases/run/input.ts';
import { agentNamed } from '../agent-named.ts';
import type { Problem } from '../problem.ts';

/** How the agents of a run are called. */
export interface PhasesAgent {
  /** `claude`, `gemini`, `codex`, `opencode`, `copilot`, `qwen`, `mock`, or a command line. */
  readonly agent: string;
  readonly model?: string;
  readonly permissions?: 'default' | 'bypass';
  readonly retries?: number;
  readonly timeoutMs?: number;
}

export function agentSettings(asked: PhasesAgent): Result<AgentSettings, Problem> {
  const { permissions = 'default', retries = 2, timeoutMs, model } = asked;
  const agent = agentNamed(asked.agent);
  if (agent.type === 'error') return error({ type: 'invalid-phases-agent', reason: agent.error });
  return ok({
    agent: agent.value,
    permissions,
    retries,
    ...defined({ model, timeoutMs }),
  });
}

/** Agents whose settings in the folder are checked before they are started. */
export function builtinsOf(agent: AgentChoice): readonly string[] {
  return agent.type === 'builtin' ? [agent.adapter] : [];
}
