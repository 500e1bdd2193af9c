/**
 * The flow of a run: its workflow as nested lists, with what has happened in each step over all items and visits. The planned part comes from
 * the input of the run, not from the file, which may have changed since. A workflow in code, and a run of another kind, shows what it has done.
 */
import type { IndexRow } from '../../engine/index-row.ts';
import { defined } from '../../model/defined.ts';
import { isJsonObject } from '../../model/json.ts';
import { UNVERIFIED } from '../../model/text-only-agent.ts';
import type { Step, WorkflowDefinition } from '../../workflow/definition.ts';
import type { LiveRun } from './live-run.ts';

export interface FlowNode {
  readonly name: string;
  /** `command`, `provider`, `for-each`, … */
  readonly type: string;
  readonly description?: string;
  readonly agent?: string;
  readonly stats?: FlowStats;
  /** What it contains, top to bottom. */
  readonly steps?: readonly FlowNode[];
  /** For a `parallel`: side by side. */
  readonly branches?: readonly { readonly name: string; readonly steps: readonly FlowNode[] }[];
  readonly needs?: readonly string[];
  /** Where it may go to: `success`, `failure` or `always`. */
  readonly gotos?: readonly {
    readonly on: string;
    readonly to: string;
    readonly taken: number;
  }[];
}

export interface FlowStats {
  /** The last one, which a view opens. */
  readonly key: string;
  readonly status: IndexRow['status'] | typeof UNVERIFIED;
  readonly ran: number;
  readonly skipped: number;
  readonly failed: number;
  readonly visits: number;
  readonly duration_ms: number;
  readonly cost_usd?: number | null;
  readonly items?: number;
  readonly items_done?: number;
}

export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly finally: readonly FlowNode[];
  /** The planned part is known. */
  readonly isPlanned: boolean;
}

export function flowOf(run: LiveRun): Flow {
  const stats = statsByPath(run);
  const definition = definitionOf(run);
  if (definition === undefined) {
    return { nodes: observed(stats), finally: [], isPlanned: false };
  }
  return {
    nodes: planned(definition.steps, '', stats),
    finally: planned(definition.finally, '', stats),
    isPlanned: true,
  };
}

/** By path, in the order in which they were reached. */
type Stats = Map<string, { first: IndexRow; value: FlowStats; gotos: Map<string, number> }>;

/** A run without a plan may give every step a name of its own. */
const MOST_OBSERVED = 1000;

function planned(steps: readonly Step[], prefix: string, stats: Stats): readonly FlowNode[] {
  return steps.map((step) => {
    const path = `${prefix}${step.name}`;
    const found = stats.get(path);
    const gotos = Object.entries(step.on).flatMap(([on, to]) =>
      to === undefined ? [] : [{ on, to, taken: found?.gotos.get(to) ?? 0 }],
    );
    const agent = step.type === 'provider' ? step.provider : undefined;
    return {
      ...{ name: step.name, type: step.type },
      ...defined({ description: step.description, agent, stats: found?.value }),
      ...contents(step, path, stats),
      ...(gotos.length === 0 ? {} : { gotos }),
    };
  });
}

function contents(step: Step, path: string, stats: Stats): Partial<FlowNode> {
  switch (step.type) {
    case 'for-each':
    case 'repeat':
      return { steps: planned(step.steps, `${path}/*/`, stats) };
    case 'call':
      return { steps: planned(step.workflow.steps, `${path}/`, stats) };
    case 'parallel':
      return {
        branches: step.branches.map(({ name, steps }) => ({
          name,
          steps: planned(steps, `${path}/${name}/`, stats),
        })),
      };
    case 'graph':
      return {
        steps: step.nodes.flatMap(({ needs, step: inner }) =>
          planned([inner], `${path}/`, stats).map((node) => ({ ...node, needs })),
        ),
      };
    default:
      // Partial: the others contain nothing.
      return {};
  }
}

interface Observed extends FlowNode {
  steps?: Observed[];
  branches?: { readonly name: string; readonly steps: Observed[] }[];
}

/** What has happened so far, each step inside what contains it. */
function observed(stats: Stats): readonly FlowNode[] {
  const roots: Observed[] = [];
  const known = new Map<string, Observed>();
  for (const [path, { first, value }] of stats) {
    if (known.size >= MOST_OBSERVED) break;
    const { name, kind, agent } = first;
    const node: Observed = {
      ...{ name, type: kind === 'agent' ? 'provider' : kind, stats: value },
      ...defined({ agent }),
    };
    known.set(path, node);
    const { holder, branch } = placeOf(first);
    const container = holder === undefined ? undefined : known.get(pathOf(holder));
    if (container === undefined) roots.push(node);
    else listIn(container, branch).push(node);
  }
  return roots;
}

/** The step that contains this one, and the branch of it. */
function placeOf({ parent }: IndexRow): { readonly holder?: IndexRow; readonly branch?: string } {
  let branch: string | undefined;
  let holder = parent;
  for (; holder?.kind === 'item' || holder?.kind === 'branch'; holder = holder.parent)
    if (holder.kind === 'branch') branch = holder.name;
  return defined({ holder, branch });
}

/** What the container, or this branch of it, contains. */
function listIn(container: Observed, branch: string | undefined): Observed[] {
  if (branch === undefined) {
    container.steps ??= [];
    return container.steps;
  }
  container.branches ??= [];
  const found = container.branches.find(({ name }) => name === branch);
  if (found !== undefined) return found.steps;
  const steps: Observed[] = [];
  container.branches.push({ name: branch, steps });
  return steps;
}

function statsByPath(run: LiveRun): Stats {
  const all: Stats = new Map();
  // Asked once: it takes longer than all else that is done for a row.
  const { isAbandoned } = run;
  for (const row of run.index.rows) {
    if (row.kind === 'item' || row.kind === 'branch') continue;
    const path = pathOf(row);
    const before = all.get(path);
    const gotos = before?.gotos ?? new Map<string, number>();
    if (row.goesTo !== undefined) gotos.set(row.goesTo, (gotos.get(row.goesTo) ?? 0) + 1);
    const old = before?.value;
    const isSkipped = row.status === 'skipped';
    const cost = row.cost === undefined ? undefined : row.cost.isKnown ? row.cost.usd : null;
    const value: FlowStats = {
      key: isSkipped && old !== undefined ? old.key : row.key,
      status: isSkipped && old !== undefined ? old.status : shown(isAbandoned, row),
      ran: (old?.ran ?? 0) + (isSkipped ? 0 : 1),
      skipped: (old?.skipped ?? 0) + (isSkipped ? 1 : 0),
      failed: (old?.failed ?? 0) + (row.status === 'failed' ? 1 : 0),
      visits: Math.max(old?.visits ?? 1, row.visit),
      duration_ms: (old?.duration_ms ?? 0) + (row.durationMs ?? 0),
      ...costSum(old?.cost_usd, cost),
      ...(row.items === undefined
        ? {}
        : { items: (old?.items ?? 0) + row.items, items_done: (old?.items_done ?? 0) + row.itemsDone }),
    };
    all.set(path, { first: before?.first ?? row, value, gotos });
  }
  return all;
}

function costSum(
  before: number | null | undefined,
  cost: number | null | undefined,
): Pick<FlowStats, 'cost_usd'> {
  if (cost === undefined && before === undefined) return {};
  if (cost == null && before == null) return { cost_usd: null };
  return { cost_usd: (before ?? 0) + (cost ?? 0) };
}

function shown(isAbandoned: boolean, row: IndexRow): FlowStats['status'] {
  if (row.status === 'completed' && row.outcome === UNVERIFIED) return UNVERIFIED;
  return isAbandoned && row.status === 'running' ? 'interrupted' : row.status;
}

// `Engineer#2/0/Implement` → `Engineer/*/Implement`: the step of the workflow, over all items and visits.
function pathOf(row: IndexRow): string {
  const name = row.kind === 'item' ? '*' : row.name;
  return row.parent === undefined ? name : `${pathOf(row.parent)}/${name}`;
}

function definitionOf({ index }: LiveRun): WorkflowDefinition | undefined {
  const { input, state } = index;
  if (state?.kind !== 'workflow' || !isJsonObject(input) || !isJsonObject(input['definition']))
    return undefined;
  return input['definition'] as unknown as WorkflowDefinition;
}
