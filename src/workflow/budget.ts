import type { Stepped } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { Spent, WorkOutput } from '../model/record.ts';
import type { StepCall } from './block.ts';
import type { Budget } from './definition.ts';

/** What the run has spent so far, as far as this block knows. Branches begin with a copy and are added up at their end. */
export interface Ledger {
  readonly budget: Budget | undefined;
  readonly startedAt: string;
  costUsd: number;
  tokens: number;
  unknownCostCalls: number;
}

export function chargeStep(ledger: Ledger, stepped: Stepped<WorkOutput>): void {
  for (const spent of stepped.spentBefore ?? []) charge(ledger, spent);
  if (stepped.output.spent !== undefined) charge(ledger, stepped.output.spent);
}

function charge(ledger: Ledger, spent: Spent): void {
  if (spent.costUsd === null) ledger.unknownCostCalls += 1;
  else ledger.costUsd += spent.costUsd;
  ledger.tokens += (spent.usage?.inputTokens ?? 0) + (spent.usage?.outputTokens ?? 0);
}

/** Adds what branches spent beyond what they began with. */
export function addSpending(ledger: Ledger, before: Spending, after: Spending): void {
  ledger.costUsd += after.costUsd - before.costUsd;
  ledger.tokens += after.tokens - before.tokens;
  ledger.unknownCostCalls += after.unknownCostCalls - before.unknownCostCalls;
}

export type Spending = Pick<Ledger, 'costUsd' | 'tokens' | 'unknownCostCalls'>;

export function spendingOf(ledger: Ledger): Spending {
  const { costUsd, tokens, unknownCostCalls } = ledger;
  return { costUsd, tokens, unknownCostCalls };
}

/** Before an agent is called, for the `round`th time in one step: is there anything left to spend? */
export async function admit({ block, key }: StepCall, round = 1): Promise<Failure | undefined> {
  const { ledger } = block;
  const { budget } = ledger;
  if (budget === undefined) return undefined;
  const unknown =
    ledger.unknownCostCalls === 0 ? '' : `, and ${ledger.unknownCostCalls} calls of unknown cost`;
  if (budget.usd !== undefined && ledger.costUsd >= budget.usd) {
    return overBudget(`${budget.usd} USD`, `${ledger.costUsd.toFixed(4)} USD spent${unknown}`);
  }
  if (budget.tokens !== undefined && ledger.tokens >= budget.tokens) {
    return overBudget(`${budget.tokens} tokens`, `${ledger.tokens} tokens used`);
  }
  if (budget.minutes !== undefined) {
    const now = await block.durable.now(sideKey(key, `budget${round}`));
    const minutes = (Date.parse(now) - Date.parse(ledger.startedAt)) / 60_000;
    if (minutes >= budget.minutes) {
      return overBudget(`${budget.minutes} minutes`, `${minutes.toFixed(1)} minutes gone`);
    }
  }
  return undefined;
}

/** What is left for one call, where the budget is in money. */
export function remainingUsd(ledger: Ledger): number | undefined {
  return ledger.budget?.usd === undefined ? undefined : Math.max(0, ledger.budget.usd - ledger.costUsd);
}

function overBudget(limit: string, spent: string): Failure {
  return { type: 'over-budget', limit, spent };
}
