/**
 * What runs have spent on something, and how long they worked. The figures of each run are kept apart: a run that is resumed replaces its
 * own, and leaves those of runs that came after it.
 */
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Spent } from '../../model/record.ts';
import { sumSpent } from '../../model/sum-spent.ts';

export interface Figures {
  /** Absent if no agent was called. */
  readonly spent?: Spent;
  readonly workedMs?: number;
}

/** By run id. */
export type FiguresByRun = { readonly [runId: string]: Figures };

/** Stands for runs that the document does not name. */
export const EARLIER = 'earlier';

export function readFigures(source: JsonObject): Figures {
  const { cost_usd: cost, unknown_cost_calls: unknownCalls, worked_ms: workedMs } = source;
  return {
    ...defined({ spent: readSpent(cost, unknownCalls) }),
    ...(typeof workedMs === 'number' ? { workedMs } : {}),
  };
}

export function readSpent(
  cost: JsonValue | undefined,
  unknownCalls: JsonValue | undefined,
): Spent | undefined {
  if (typeof cost !== 'number' && cost !== null) return undefined;
  return { costUsd: cost, ...(typeof unknownCalls === 'number' ? { unknownCalls } : {}) };
}

/** The members of a document. */
export function figureFields({ spent, workedMs }: Figures): JsonObject {
  return defined({
    cost_usd: spent?.costUsd,
    unknown_cost_calls: spent?.unknownCalls,
    worked_ms: workedMs,
  });
}

export function readFiguresByRun(value: JsonValue | undefined): FiguresByRun {
  if (!isJsonObject(value)) return {};
  const runs = Object.entries(value).flatMap(([runId, figures]) =>
    isJsonObject(figures) ? [[runId, readFigures(figures)] as const] : [],
  );
  return Object.fromEntries(runs);
}

export function sumFigures(all: readonly Figures[]): Figures {
  const spent = sumSpent(all.flatMap((each) => each.spent ?? []));
  const times = all.flatMap(({ workedMs }) => workedMs ?? []);
  return {
    ...defined({ spent }),
    ...(times.length === 0 ? {} : { workedMs: times.reduce((sum, each) => sum + each, 0) }),
  };
}
