/** Adds up what agents cost, over runs of every kind. Reads `state.json` where it matches its journal, so that it is quick with thousands of runs. */
import { error, ok, type Result } from '../../model/result.ts';
import type { RunState, SpendingState } from '../../model/run-state.ts';
import { unreachable } from '../../model/unreachable.ts';
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
  const groups = new Map<string, Sum>();
  const total = new Sum();
  const damaged: string[] = [];
  for (const run of runsSince(site.workspace, since)) {
    if (run.type === 'damaged') {
      damaged.push(run.runId);
      continue;
    }
    for (const row of spendingOf(site, run)) {
      const name = nameOf(run.state, row, by);
      const group = groups.get(name) ?? new Sum();
      groups.set(name, group);
      group.add(run.runId, row);
      total.add(run.runId, row);
    }
  }
  const rows = [...groups]
    .map(([name, sum]) => ({ name, ...sum.value }))
    .sort(by === 'day' ? byName : byCost);
  return ok({ by, rows, total: total.value, damaged });
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

function nameOf({ kind, title }: RunState, { day, agent, model }: SpendingState, by: CostsBy): string {
  switch (by) {
    case 'day':
      return day;
    case 'workflow':
      return kind === 'workflow' ? title : `${title} (${kind})`;
    case 'agent':
      return agent;
    case 'model':
      return model ?? '';
    default:
      return unreachable(by);
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
