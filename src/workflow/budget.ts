import type { Stepped } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { Spent, WorkOutput } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { Block, StepCall } from './block.ts';
import type { Budget } from './definition.ts';

/** What the whole run has spent so far, across all branches. */
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

/** The amount one call may spend, if the budget is in money. */
export interface Allowance {
  readonly usd?: number;
}

/**
 * Checks the budget before an agent is called for the `round`th time in one step. What other branches have spent by then depends on
 * timing, so the answer is recorded. Concurrent calls are all admitted, so a budget is exceeded by at most one call per slot.
 */
export async function admit({ block, key }: StepCall, round = 1): Promise<Result<Allowance, Failure>> {
  const { ledger } = block;
  if (ledger.budget === undefined) return ok({});
  const now = await timeFor(block, sideKey(key, `budget${round}`));
  const { output } = await block.durable.step(
    sideKey(key, `admission${round}`),
    'remember',
    { value: admission(ledger, now) as unknown as JsonValue },
    { syncWithNext: true },
  );
  return output.value as unknown as Result<Allowance, Failure>;
}

/** Only a budget in minutes needs the current time. */
async function timeFor({ durable, ledger }: Block, key: StepKey): Promise<string> {
  return ledger.budget?.minutes === undefined ? ledger.startedAt : durable.now(key);
}

function admission(ledger: Ledger, now: string): Result<Allowance, Failure> {
  const { budget, costUsd, tokens, unknownCostCalls } = ledger;
  const calls = unknownCostCalls === 1 ? '1 call' : `${unknownCostCalls} calls`;
  const unknown = unknownCostCalls === 0 ? '' : ` and ${calls} of unknown cost`;
  if (budget?.usd !== undefined && costUsd >= budget.usd) {
    return overBudget(`${budget.usd} USD`, `${costUsd.toFixed(4)} USD spent${unknown}`);
  }
  if (budget?.tokens !== undefined && tokens >= budget.tokens) {
    return overBudget(`${budget.tokens} tokens`, `${tokens} tokens used`);
  }
  const minutes = (Date.parse(now) - Date.parse(ledger.startedAt)) / 60_000;
  if (budget?.minutes !== undefined && minutes >= budget.minutes) {
    return overBudget(`${budget.minutes} minutes`, `${minutes.toFixed(1)} minutes elapsed`);
  }
  return ok(budget?.usd === undefined ? {} : { usd: budget.usd - costUsd });
}

function overBudget(limit: string, spent: string): Result<Allowance, Failure> {
  return error({ type: 'over-budget', limit, spent });
}
