/** The input of a run of phases. It is plain data, recorded in the journal. */
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
  /** Absolute path of the user's Claude Code folder, which contains `agents/`. */
  readonly claudeHome: string;
}

export interface PlanInput extends AgentSettings {
  readonly task: string;
  /** Names of the agents that have role files. */
  readonly agents: readonly string[];
}
