/** The limits of a loop and of each call of its agent. */
import type { StepOptions } from '../../engine/durable.ts';
import { budgetUsedUp } from '../../engine/ledger.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { IterateInput, LoopLimits } from '../input.ts';
import { changedLimits, changeText, parseChange } from '../workspace/change.ts';
import { FILES } from '../workspace/layout.ts';
import type { CutBy, LoopState } from './loop-state.ts';

export function limitsIn(input: IterateInput): LoopLimits {
  const { maxIterations, delayMs, stagnationThreshold, budget, setSeen } = input;
  return { maxIterations, delayMs, stagnationThreshold, ...defined({ budget, setSeen }) };
}

/** Iterations that ran before the run was resumed with other limits keep theirs. */
export function limitsAt(input: IterateInput, iteration: number): LoopLimits {
  return input.earlierLimits?.find(({ until }) => iteration <= until) ?? limitsIn(input);
}

/** Reads what the user changed since. A change takes effect at the start of an iteration, and is recorded with it. */
export async function takeChanges(state: LoopState, key: StepKey): Promise<void> {
  const { durable, input } = state;
  const limits = limitsAt(input, state.iteration + 1);
  const file = { root: input.workspacePath, path: FILES.set };
  const { output } = await durable.step(sideKey(key, 'set'), 'read-file', file, { syncWithNext: true });
  const change = parseChange(output.text, input.runId);
  const isNew = change !== undefined && change.at > (limits.setSeen ?? '');
  state.limits = isNew ? changedLimits(limits, change) : limits;
  if (!isNew || change.at === state.changedAt) return;
  state.changedAt = change.at;
  if (change.instructions !== undefined) state.instructions = change.instructions;
  const message = `changed by the user: ${changeText(change)}`;
  await durable.step(sideKey(key, 'changed'), 'note', { type: 'decision', message }, { syncWithNext: true });
}

/** Options of everything that takes time: it ends when the loop has worked for all its minutes. */
export function withinTime({ limits }: LoopState): Pick<StepOptions, 'workLimitMs'> {
  const minutes = limits.budget?.minutes;
  return defined({ workLimitMs: minutes === undefined ? undefined : minutes * 60_000 });
}

/** What the next call of the agent may spend, if there is a budget in money. The error says which budget is used up. */
export async function allowanceFor(
  state: LoopState,
  key: StepKey,
): Promise<Result<{ readonly maxBudgetUsd?: number }, Failure>> {
  const { durable, input, ledger, limits } = state;
  const { budget } = limits;
  if (budget === undefined) return ok({});
  const usedUp = budgetUsedUp(ledger, budget);
  if (usedUp !== undefined) return error(usedUp);
  const admission = sideKey(key, 'admission');
  const { output } = await durable.step(
    admission,
    'remember',
    { value: null },
    { syncWithNext: true, ...withinTime(state) },
  );
  if (output.failure !== undefined) return error(output.failure);
  const isPassedOn = budget.usd !== undefined && input.limitsSpending === true;
  return ok(isPassedOn ? { maxBudgetUsd: budget.usd - ledger.costUsd } : {});
}

/** Undefined: the agent failed, and not because of a limit of this loop. */
export function cutShortBy({ input }: LoopState, failure: Failure): CutBy | undefined {
  if (failure.type === 'over-budget') return 'budget';
  if (failure.type !== 'agent') return undefined;
  const { outcome } = failure;
  if (outcome.type === 'timed-out') return 'time';
  const isOurs =
    outcome.type === 'over-budget' && outcome.isAccount !== true && input.limitsSpending === true;
  return isOurs ? 'budget' : undefined;
}

/** The budget that ended the loop in words; `failure` if the agent stopped just before it was used up. */
export function budgetFailure({ ledger, limits }: LoopState, failure: Failure): Failure {
  return budgetUsedUp(ledger, limits.budget ?? {}) ?? failure;
}
