/** What a run has spent, and whether that uses up its budget. */
import type { Failure } from '../model/failure.ts';
import type { Spent } from '../model/record.ts';
import { unknownCallsIn } from '../model/sum-spent.ts';
import { addUsd } from '../model/usd.ts';

export interface Budget {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
  /** Agent calls, failed attempts included. */
  readonly calls?: number | undefined;
}

export interface Ledger {
  costUsd: number;
  tokens: number;
  calls: number;
  unknownCostCalls: number;
}

export function openLedger(): Ledger {
  return { costUsd: 0, tokens: 0, calls: 0, unknownCostCalls: 0 };
}

export function charge(ledger: Ledger, spent: Spent): void {
  ledger.calls += 1 + (spent.unknownCalls ?? 0);
  ledger.unknownCostCalls += unknownCallsIn(spent);
  ledger.costUsd = addUsd(ledger.costUsd, spent.costUsd ?? 0);
  ledger.tokens += (spent.usage?.inputTokens ?? 0) + (spent.usage?.outputTokens ?? 0);
}

/** Undefined: there is something left. */
export function budgetUsedUp(ledger: Ledger, budget: Budget): Failure | undefined {
  const { costUsd, tokens, calls, unknownCostCalls } = ledger;
  const unpriced = unknownCostCalls === 1 ? '1 call' : `${unknownCostCalls} calls`;
  const unknown = unknownCostCalls === 0 ? '' : ` and ${unpriced} of unknown cost`;
  if (budget.usd !== undefined && costUsd >= budget.usd)
    return overBudget(`${budget.usd} USD`, `${costUsd.toFixed(4)} USD spent${unknown}`);
  if (budget.tokens !== undefined && tokens >= budget.tokens)
    return overBudget(`${budget.tokens} tokens`, `${tokens} tokens used`);
  if (budget.calls !== undefined && calls >= budget.calls)
    return overBudget(`${budget.calls} ${budget.calls === 1 ? 'call' : 'calls'}`, `${calls} made`);
  return undefined;
}

function overBudget(limit: string, spent: string): Failure {
  return { type: 'over-budget', limit, spent };
}
