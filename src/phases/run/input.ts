/** What a run of phases is started with. All of it is data: it is pinned in the journal. */
import type { AgentChoice } from '../../effects/contracts.ts';

export const PHASES_PROGRAM = 'phases';
export const PLAN_PROGRAM = 'phases-plan';
export const PHASES_PROGRAMS = [PHASES_PROGRAM, PLAN_PROGRAM] as const;

/** How agents are called. */
export interface AgentSettings {
  readonly agent: AgentChoice;
  readonly model?: string;
  readonly permissions?: 'default' | 'bypass';
  readonly retries: number;
  readonly timeoutMs?: number;
}

export interface PhasesInput extends AgentSettings {
  readonly workspace: string;
  /** Absolute folder of the user's own settings of Claude Code, with `agents/` in it. */
  readonly claudeHome: string;
}

export interface PlanInput extends AgentSettings {
  readonly task: string;
  /** Names of the agents there are role files for. */
  readonly agents: readonly string[];
}
