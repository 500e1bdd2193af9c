import type { TokenUsage } from './agent.ts';
import { defined } from './defined.ts';
import type { Spent } from './record.ts';
import { addUsd } from './usd.ts';

/** The cost of several agent calls; undefined if there was none. Unknown costs are counted, never added as 0. */
export function sumSpent(calls: readonly Spent[]): Spent | undefined {
  const [only, ...others] = calls;
  if (only === undefined || others.length === 0) return only;
  const known = calls.filter(({ costUsd }) => costUsd !== null);
  const unknown = calls.reduce(
    (sum, { costUsd, unknownCalls = 0 }) => sum + unknownCalls + (costUsd === null ? 1 : 0),
    0,
  );
  const usages = calls.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return {
    costUsd: known.length === 0 ? null : known.reduce((sum, { costUsd }) => addUsd(sum, costUsd ?? 0), 0),
    ...(known.length > 0 && unknown > 0 ? { unknownCalls: unknown } : {}),
    ...(usages.length === 0 ? {} : { usage: sumUsage(usages) }),
  };
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
