/** Options of one run, as its caller gave them. They override every settings file, and the run keeps them when it is resumed. */
import type { Budget } from '../engine/ledger.ts';
import { defined } from '../model/defined.ts';

export interface LoopBudget extends Budget {
  /** The time in which the loop works, not counting that in which no process runs it. */
  readonly minutes?: number | undefined;
}

export interface RunOptions {
  readonly agent?: string | undefined;
  /** Agents that take over at a usage limit, in order. */
  readonly fallback?: readonly string[] | undefined;
  /** No permission prompts. */
  readonly skipsPermissions?: boolean | undefined;
  readonly maxIterations?: number | undefined;
  /** Seconds between iterations. */
  readonly delay?: number | undefined;
  readonly stagnationThreshold?: number | undefined;
  readonly budget?: LoopBudget | undefined;
  readonly timeoutMs?: number | undefined;
  /** One commit per iteration. */
  readonly checkpoint?: boolean | undefined;
  readonly branch?: string | undefined;
  readonly worktree?: boolean | undefined;
  readonly verifies?: boolean | undefined;
  readonly checks?: readonly string[] | undefined;
}

/** `given` wins; a budget is combined limit by limit. */
export function combined(kept: RunOptions, given: RunOptions): RunOptions {
  return { ...kept, ...onlyGiven({ ...given, budget: { ...kept.budget, ...defined({ ...given.budget }) } }) };
}

/** As recorded: without absent options and without what else the caller may have passed along. */
export function onlyGiven(options: RunOptions): RunOptions {
  const { agent, fallback, skipsPermissions, maxIterations, delay, stagnationThreshold } = options;
  const { timeoutMs, verifies, checks, checkpoint, branch, worktree } = options;
  const budget = defined({ ...options.budget });
  return defined({
    ...{ agent, fallback, skipsPermissions, maxIterations, delay, stagnationThreshold },
    ...{ timeoutMs, verifies, checks, checkpoint, branch, worktree },
    budget: Object.keys(budget).length === 0 ? undefined : budget,
  });
}
