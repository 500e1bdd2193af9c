/**
 * Rules for the tool calls of an agent. The first rule that matches a call counts. Rules only restrict: what they do not ask about or deny is
 * left to the agent's own permissions.
 */
import type { AgentName } from './agent.ts';

export const ASK_ACTIONS = ['ask', 'deny', 'allow'] as const;
/** `ask`: the call waits for a person. `deny`: it is refused. `allow`: no later rule applies to it. */
export type AskAction = (typeof ASK_ACTIONS)[number];

export interface AskRule {
  /** Names, with `*`; default: every tool. */
  readonly tools?: readonly string[];
  /** A glob for the commands of a shell tool. */
  readonly command?: string;
  /** A glob for the file or folder of a tool: relative to the workspace, absolute, or in the home folder (`~/`). */
  readonly path?: string;
  readonly do: AskAction;
}

/** Agents whose CLI can stop at a tool call and continue with it later. */
export const ASKING_AGENTS: readonly AgentName[] = ['claude', 'mock'];

export function canAsk(agent: string): boolean {
  return ASKING_AGENTS.some((name) => name === agent);
}
