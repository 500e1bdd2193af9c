/** Adds up what agents cost, over runs of every kind. Reads `state.json` where it matches its journal, so that it is quick with thousands of runs. */
import { error, ok, type Result } from '../../model/result.ts';
import type { RunState, SpendingState } from '../../model/run-state.ts';
import { addUsd } from '../../model/usd.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { readRunById } from './read-run.ts';
import { runsSince } from './select-runs.ts';

export const COSTS_BY = ['day', 'workflow', 'agent', 'model'] as const;
export type CostsBy = (typeof COSTS_BY)[number];

export interface ReadCosts {
  /** Only runs started then or later. */
  readonly since?: Date | undefined;
  readonly by: CostsBy;
}

export interface CostSum {
  readonly runs: number;
  readonly agent_calls: number;
  /** Sum of the known costs. */
  readonly cost_usd: number;
  readonly unknown_cost_calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly unknown_token_calls: number;
}

export interface CostRow extends CostSum {
  /** The day, workflow, agent or model; empty if it is not known. */
  readonly name: string;
}

export interface Costs {
  readonly by: CostsBy;
  readonly rows: readonly CostRow[];
  readonly total: CostSum;
  /** Runs whose cost is unknown because they cannot be read. */
  readonly damaged: readonly string[];
}

export function readCosts(site: Site, { since, by }: ReadCosts): Result<Costs, Problem> {
  if (!COSTS_BY.includes(by)) return error({ type: 'unknown-cost-group', group: by, groups: COSTS_BY });
  const sums = new Sums();
  const total = new Sum();
  const damaged = eachSpending(site, since, (runId, names, row) => {
    sums.add(names[by], runId, row);
    total.add(runId, row);
  });
  return ok({ by, rows: sums.rows(by), total: total.value, damaged });
}

/** What one agent cost with one model, in one workflow on one day. */
export interface CostCell extends CostSum {
  readonly day: string;
  readonly workflow: string;
  readonly agent: string;
  readonly model: string;
}

export type CostTable = { readonly [Each in CostsBy]: Costs } & { readonly cells: readonly CostCell[] };

/** Every grouping at once, and the cells of which they consist. */
export function readCostTable(site: Site, since: Date): CostTable {
  const sums = { day: new Sums(), workflow: new Sums(), agent: new Sums(), model: new Sums() };
  const cells = new Map<string, { readonly names: CostNames; readonly sum: Sum }>();
  const all = new Sum();
  const damaged = eachSpending(site, since, (runId, names, row) => {
    all.add(runId, row);
    for (const by of COSTS_BY) sums[by].add(names[by], runId, row);
    const key = JSON.stringify(names);
    const cell = cells.get(key) ?? { names, sum: new Sum() };
    cells.set(key, cell);
    cell.sum.add(runId, row);
  });
  const total = all.value;
  const of = (by: CostsBy): Costs => ({ by, rows: sums[by].rows(by), total, damaged });
  return {
    ...{ day: of('day'), workflow: of('workflow'), agent: of('agent'), model: of('model') },
    cells: [...cells.values()].map(({ names, sum }) => ({ ...names, ...sum.value })),
  };
}

/** The name of a spending in each grouping. */
type CostNames = { readonly [Each in CostsBy]: string };

/** Returns the runs that cannot be read. */
function eachSpending(
  site: Site,
  since: Date | undefined,
  visit: (runId: string, names: CostNames, row: SpendingState) => void,
): readonly string[] {
  const damaged: string[] = [];
  for (const run of runsSince(site, since)) {
    if (run.type === 'damaged') damaged.push(run.runId);
    else for (const row of spendingOf(site, run)) visit(run.runId, namesOf(run.state, row), row);
  }
  return damaged;
}

/** A view written before it had `spending` is not used: the journal is. */
function spendingOf(
  site: Site,
  { runId, state }: { readonly runId: Parameters<typeof readRunById>[1]; readonly state: RunState },
): readonly SpendingState[] {
  if (state.spending !== undefined || state.totals.agent_calls === 0) return state.spending ?? [];
  const run = readRunById(site, runId);
  return run.type === 'ok' ? (run.value.state.spending ?? []) : [];
}

function namesOf({ kind, title }: RunState, { day, agent, model }: SpendingState): CostNames {
  const workflow = kind === 'workflow' ? title : `${title} (${kind})`;
  return { day, workflow, agent, model: model ?? '' };
}

/** A sum for each name. */
class Sums {
  readonly #byName = new Map<string, Sum>();

  add(name: string, runId: string, row: SpendingState): void {
    const sum = this.#byName.get(name) ?? new Sum();
    this.#byName.set(name, sum);
    sum.add(runId, row);
  }

  rows(by: CostsBy): readonly CostRow[] {
    const rows = [...this.#byName].map(([name, sum]) => ({ name, ...sum.value }));
    return rows.sort(by === 'day' ? byName : byCost);
  }
}

class Sum {
  readonly #runs = new Set<string>();
  readonly #sum = {
    ...{ agent_calls: 0, cost_usd: 0, unknown_cost_calls: 0 },
    ...{ tokens: { input: 0, output: 0 }, unknown_token_calls: 0 },
  };

  get value(): CostSum {
    return { runs: this.#runs.size, ...this.#sum };
  }

  add(runId: string, row: SpendingState): void {
    this.#runs.add(runId);
    this.#sum.agent_calls += row.agent_calls;
    this.#sum.cost_usd = addUsd(this.#sum.cost_usd, row.cost_usd);
    this.#sum.unknown_cost_calls += row.unknown_cost_calls;
    this.#sum.tokens.input += row.tokens.input;
    this.#sum.tokens.output += row.tokens.output;
    this.#sum.unknown_token_calls += row.unknown_token_calls;
  }
}

function byName(a: CostRow, b: CostRow): number {
  return a.name < b.name ? -1 : 1;
}

/** Dearest first. */
function byCost(a: CostRow, b: CostRow): number {
  return b.cost_usd - a.cost_usd || b.agent_calls - a.agent_calls || byName(a, b);
}
