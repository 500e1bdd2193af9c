/** Earlier visits of a step: how each ended, and what it contained, as long as that is not too much to show. */
import { defined } from '../model/defined.ts';
import type {
  EarlierLoopVisit,
  EarlierVisit,
  LoopState,
  RunState,
  StateSteps,
  StepState,
  VisitInside,
} from '../model/run-state.ts';
import type { ViewBudget } from './view-budget.ts';

/** Steps inside earlier visits that are shown; the journal has all of them. */
const MOST_STEPS = 2000;

export class EarlierVisits {
  readonly #budget: ViewBudget;
  /** Visits with something inside, oldest first. */
  readonly #kept: { readonly visit: EarlierVisit | EarlierLoopVisit; readonly steps: number }[] = [];
  #steps = 0;

  constructor(budget: ViewBudget) {
    this.#budget = budget;
  }

  /** On a revisit, `step` shows the current visit, and the one before joins the earlier ones. */
  visitAgain(state: RunState, step: StepState, at: { readonly key: string; readonly visit: number }): void {
    const { status, exit_code, outcome, started_at, duration_ms, attempts, error } = step;
    const { failure_allowed, cost_usd, unknown_cost_calls, iterations, branches, steps } = step;
    const earlier: EarlierVisit = {
      status,
      ...defined({
        exit_code,
        failure_allowed,
        outcome,
        started_at,
        duration_ms,
        attempts,
        cost_usd,
        unknown_cost_calls,
      }),
      ...(error === undefined ? {} : { error: { message: error.message, type: error.type } }),
      ...defined({ iterations, branches, steps }),
    };
    this.#budget.release(step);
    // Not copied: there may be any number of visits (J3).
    const visits = step.earlier_visits ?? [];
    visits.push(earlier);
    for (const field of Object.keys(step)) delete step[field as keyof StepState];
    Object.assign(step, { status: 'running', visits: at.visit, earlier_visits: visits });
    if (iterations !== undefined || branches !== undefined || steps !== undefined) {
      this.#keep(state, earlier, at.key);
    }
  }

  loopVisit(
    state: RunState,
    old: LoopState,
    at: { readonly key: string; readonly visit: number; readonly iterations: StateSteps[] },
  ): Pick<LoopState, 'visits' | 'earlier_visits'> {
    const { status, started_at, duration_ms, failure_allowed, error } = old;
    const earlier: EarlierLoopVisit = {
      ...defined({ status, started_at, duration_ms, failure_allowed }),
      items: old.items_left_out ?? old.items.length,
      items_completed: old.completed_indices.length,
      ...(error === undefined ? {} : { error: { message: error.message, type: error.type } }),
      iterations: at.iterations,
      item_values: old.items,
    };
    const visits = old.earlier_visits ?? [];
    visits.push(earlier);
    this.#keep(state, earlier, at.key);
    return { visits: at.visit, earlier_visits: visits };
  }

  /** Moves the loops inside it to the visit, and makes room if there is too much. */
  #keep(state: RunState, visit: EarlierVisit | EarlierLoopVisit, key: string): void {
    for (const [name, loop] of Object.entries(state.for_each)) {
      if (!name.startsWith(`${key}/`)) continue;
      visit.for_each ??= {};
      visit.for_each[name] = loop;
      delete state.for_each[name];
    }
    const steps = countIn(visit);
    this.#kept.push({ visit, steps });
    this.#steps += steps;
    while (this.#steps > MOST_STEPS) {
      const oldest = this.#kept.shift();
      if (oldest === undefined) break;
      this.#steps -= oldest.steps;
      this.#leaveOut(oldest.visit);
    }
  }

  #leaveOut(visit: VisitInside & Pick<EarlierLoopVisit, 'item_values'>): void {
    this.#budget.releaseWithin(visit);
    delete visit.iterations;
    delete visit.branches;
    delete visit.steps;
    delete visit.for_each;
    delete visit.item_values;
    visit.inside_left_out = true;
  }
}

function countIn({ iterations, branches, steps }: VisitInside): number {
  const lists = [
    ...(iterations ?? []),
    ...Object.values(branches ?? {}),
    ...(steps === undefined ? [] : [steps]),
  ];
  return lists.reduce(
    (sum, list) =>
      sum +
      Object.values(list).reduce(
        (inner, step) => inner + (Array.isArray(step) ? countIn({ iterations: step }) : 1 + countIn(step)),
        0,
      ),
    0,
  );
}
