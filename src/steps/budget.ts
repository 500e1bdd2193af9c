import type { StepOptions, Stepped } from '../engine/durable.ts';
import { budgetUsedUp, charge } from '../engine/ledger.ts';
import { TIDY_UP_MS } from '../engine/run-stop.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { WorkOutput } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { Ledger } from './ledger.ts';
import type { SiteCall, StepSite } from './site.ts';

/**
 * Options for a call that starts work. Nothing starts once a budget is reached; `minutes`, the time in which the run works, also stops
 * what is running. `finally` still runs then: it has `TIDY_UP_MS` more.
 */
export function withinBudget({
  ledger,
  isTidyingUp,
}: Pick<StepSite, 'ledger' | 'isTidyingUp'>): Pick<StepOptions, 'workLimitMs' | 'refuse'> {
  if (ledger.budget === undefined) return {};
  const { minutes } = ledger.budget;
  const extraMs = isTidyingUp === true ? TIDY_UP_MS : 0;
  return {
    ...(minutes === undefined ? {} : { workLimitMs: minutes * 60_000 + extraMs }),
    ...(isTidyingUp === true ? {} : { refuse: () => ledger.reached }),
  };
}

/** For a step that starts no effect: the budget that keeps it from starting, recorded. */
export async function reachedBudget({ block, key }: SiteCall): Promise<Failure | undefined> {
  if (block.ledger.budget === undefined) return undefined;
  const options = { syncWithNext: true, ...withinBudget(block) };
  const { output } = await block.durable.step(
    sideKey(key, 'admission'),
    'remember',
    { value: null },
    options,
  );
  return output.failure;
}

/** A run whose budget is reached starts nothing more, whatever the workflow does about other failures. */
export function isOverBudget({ failure }: { readonly failure?: Failure }): boolean {
  return failure?.type === 'over-budget';
}

export function chargeStep(ledger: Ledger, stepped: Stepped<WorkOutput>): void {
  for (const spent of stepped.spentBefore ?? []) charge(ledger, spent);
  if (stepped.output.spent !== undefined) charge(ledger, stepped.output.spent);
}

/** The amount one call may spend, if the budget is in money. */
export interface Allowance {
  readonly usd?: number;
}

/**
 * Checks the budget before an agent is called for the `round`th time in one step. What other branches have spent by then depends on
 * timing, so the answer is recorded. Concurrent calls are all admitted, so a budget is exceeded by at most one call per slot.
 */
export async function admit({ block, key }: SiteCall, round = 1): Promise<Result<Allowance, Failure>> {
  const { ledger } = block;
  if (ledger.budget === undefined) return ok({});
  const { output } = await block.durable.step(
    sideKey(key, `admission${round}`),
    'remember',
    { value: admission(ledger) as unknown as JsonValue },
    { syncWithNext: true, ...withinBudget(block) },
  );
  if (output.failure !== undefined) return error(output.failure);
  const admitted = output.value as unknown as Result<Allowance, Failure>;
  if (admitted.type === 'error') ledger.reached ??= admitted.error;
  return admitted;
}

function admission(ledger: Ledger): Result<Allowance, Failure> {
  const { budget, costUsd } = ledger;
  const usedUp = budget === undefined ? undefined : budgetUsedUp(ledger, budget);
  if (usedUp !== undefined) return error(usedUp);
  return ok(budget?.usd === undefined ? {} : { usd: budget.usd - costUsd });
}
