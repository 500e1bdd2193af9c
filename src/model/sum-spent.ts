import type { TokenUsage } from './agent.ts';
import { defined } from './defined.ts';
import type { Spent } from './record.ts';
import { addUsd } from './usd.ts';

/** The cost of several agent calls; undefined if there was none. Unknown costs are counted, never added as 0. */
export function sumSpent(calls: readonly Spent[]): Spent | undefined {
  const [only, ...others] = calls;
  if (only === undefined || others.length === 0) return only;
  const known = calls.filter(({ costUsd }) => costUsd !== null);
  const unknown = calls.reduce((sum, each) => sum + unknownCallsIn(each), 0);
  const besides = known.length === 0 ? unknown - 1 : unknown;
  const usages = calls.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return {
    costUsd: known.length === 0 ? null : known.reduce((sum, { costUsd }) => addUsd(sum, costUsd ?? 0), 0),
    ...(besides > 0 ? { unknownCalls: besides } : {}),
    ...(usages.length === 0 ? {} : { usage: sumUsage(usages) }),
  };
}

export function unknownCallsIn({ costUsd, unknownCalls = 0 }: Spent): number {
  return (costUsd === null ? 1 : 0) + unknownCalls;
}

/** What agent calls cost, in the figures of a run. */
export interface CostSums {
  cost_usd: number;
  agent_calls: number;
  unknown_cost_calls: number;
}

/** Adds a recorded call and, if workers were lost while they made it, those that it repeats. */
export function addCall(sums: CostSums, spent: Spent): void {
  sums.agent_calls += 1 + (spent.unknownCalls ?? 0);
  sums.unknown_cost_calls += unknownCallsIn(spent);
  sums.cost_usd = addUsd(sums.cost_usd, spent.costUsd ?? 0);
}

/** How many of these did not report their tokens. */
export function unknownUsesIn({ usage, unknownCalls = 0 }: Spent): number {
  return (usage === undefined ? 1 : 0) + unknownCalls;
}

function sumUsage(usages: readonly TokenUsage[]): TokenUsage {
  const sum = (field: keyof TokenUsage): number | undefined =>
    usages.every((usage) => usage[field] === undefined)
      ? undefined
      : usages.reduce((total, usage) => total + (usage[field] ?? 0), 0);
  return {
    inputTokens: sum('inputTokens') ?? 0,
    outputTokens: sum('outputTokens') ?? 0,
    ...defined({ cacheReadTokens: sum('cacheReadTokens'), cacheWriteTokens: sum('cacheWriteTokens') }),
  };
}
