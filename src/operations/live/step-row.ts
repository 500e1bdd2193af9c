import { type IndexRow, isContainer } from '../../engine/index-row.ts';
import { defined } from '../../model/defined.ts';
import type { LiveRun } from './live-run.ts';

/** A row of the tree, as programs read it. Rows are whole: applying one twice is harmless. */
export interface StepRow {
  readonly key: string;
  readonly name: string;
  readonly item?: string;
  readonly parent: string | null;
  readonly kind: IndexRow['kind'];
  readonly status: IndexRow['status'];
  readonly outcome?: string;
  readonly started_at?: string;
  readonly duration_ms?: number;
  /** `null`: no agent that was called in it reported its cost. Omitted if none was called. */
  readonly cost_usd?: number | null;
  readonly unknown_cost_calls?: number;
  /** `null`: no agent that was called in it reported its tokens. */
  readonly tokens?: { readonly input: number; readonly output: number } | null;
  readonly attempts: number;
  /** Which visit this is; counts from 1. */
  readonly visits: number;
  /** Its place among the rows of its parent. */
  readonly place: number;
  readonly children: number;
  readonly items?: number;
  readonly items_done?: number;
  readonly agent?: string;
  readonly note?: string;
  readonly error?: string;
  readonly failure_allowed?: true;
  readonly repeated?: true;
}

export function stepRow(run: Pick<LiveRun, 'isAbandoned'>, row: IndexRow): StepRow {
  const { key, name, item, kind, outcome, durationMs, attempts, visit, place, agent, note, error } = row;
  const isCut = run.isAbandoned && row.status === 'running';
  return {
    ...{ key, name, ...defined({ item }) },
    parent: row.parent?.key ?? null,
    kind,
    status: isCut ? 'interrupted' : row.status,
    ...defined({ outcome, duration_ms: durationMs }),
    ...(row.startedAt === undefined ? {} : { started_at: new Date(row.startedAt).toISOString() }),
    ...costOf(row),
    ...{ attempts, visits: visit, place, children: row.children.length },
    ...(row.items === undefined ? {} : { items: row.items, items_done: row.itemsDone }),
    ...defined({ agent, note, error }),
    ...(row.isAllowed ? { failure_allowed: true } : {}),
    ...(row.repeated ? { repeated: true } : {}),
  };
}

function costOf({ cost }: IndexRow): Pick<StepRow, 'cost_usd' | 'unknown_cost_calls' | 'tokens'> {
  if (cost === undefined) return {};
  return {
    cost_usd: cost.isKnown ? cost.usd : null,
    ...(cost.unknownCalls > 0 ? { unknown_cost_calls: cost.unknownCalls } : {}),
    tokens: cost.hasTokens ? { input: cost.tokensIn, output: cost.tokensOut } : null,
  };
}

export interface StepsAsked {
  /** Only those directly in this one; empty: those in no other. Undefined: all. */
  readonly parent?: string | undefined;
  readonly sort?: 'order' | 'slowest' | 'dearest' | undefined;
  /** Text in the key, the item, the outcome or the error. */
  readonly q?: string | undefined;
  readonly from: number;
  readonly limit: number;
}

export interface StepsFound {
  readonly total: number;
  readonly rows: readonly StepRow[];
  /** The record that the rows are from. */
  readonly seq: number;
}

/** Undefined if there is no such parent. */
export function findSteps(run: LiveRun, asked: StepsAsked): StepsFound | undefined {
  const { index } = run;
  const { parent, sort = 'order', q, from, limit } = asked;
  const within =
    parent === undefined ? index.rows : parent === '' ? index.roots : index.row(parent)?.children;
  if (within === undefined) return undefined;
  let rows: readonly IndexRow[] = within;
  if (q !== undefined && q !== '') {
    const wanted = q.toLowerCase();
    rows = rows.filter((row) => matches(row, wanted));
  }
  if (sort !== 'order') {
    const size = (row: IndexRow): number =>
      sort === 'slowest' ? (row.durationMs ?? 0) : (row.cost?.usd ?? 0);
    rows = rows
      .filter((row) => !isContainer(row.kind) && row.kind !== 'item' && row.kind !== 'branch')
      .sort((a, b) => size(b) - size(a) || a.order - b.order);
  }
  return {
    total: rows.length,
    rows: rows.slice(from, from + limit).map((row) => stepRow(run, row)),
    seq: index.seq,
  };
}

function matches({ key, item, outcome, error, status }: IndexRow, wanted: string): boolean {
  return [key, item, outcome, error, status].some((text) => text?.toLowerCase().includes(wanted) === true);
}
