import type { DocumentChange } from '../../effects/contracts.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import { type FiguresByRun, figureFields, sumFigures } from '../document/figures.ts';

/** `{'execution.run_id': x}` sets that member; `undefined` removes it. */
export function setFields(fields: {
  readonly [path: string]: JsonValue | undefined;
}): readonly DocumentChange[] {
  return Object.entries(fields).map(([path, value]) =>
    value === undefined
      ? { type: 'remove', at: path.split('.') }
      : { type: 'set', at: path.split('.'), value },
  );
}

interface OfRun {
  readonly runId: string;
}

export function completedChanges(call: OfRun, at: string): readonly DocumentChange[] {
  return [
    ...setFields({
      ...{ status: 'completed', 'execution.kept_branch': undefined },
      'execution.review_comment': undefined,
    }),
    historyEntry(call, { from: 'active', to: 'completed', at }),
  ];
}

export function blockedChanges(
  call: OfRun,
  ended: {
    readonly at: string;
    readonly failure: Failure;
    readonly figures?: FiguresByRun;
    /** Has its finished work, which is not merged. */
    readonly keptBranch?: string;
  },
): readonly DocumentChange[] {
  return [
    ...setFields({
      status: 'blocked',
      'execution.last_error': describeFailure(ended.failure),
      'execution.kept_branch': ended.keptBranch,
      'execution.review_comment': ended.failure.type === 'rejected' ? ended.failure.comment : undefined,
    }),
    ...(ended.figures === undefined ? [] : figureChanges(ended.figures)),
    historyEntry(call, { from: 'active', to: 'blocked', at: ended.at }),
  ];
}

/** The totals, and the figures of each run if there are several. */
export function figureChanges(figures: FiguresByRun): readonly DocumentChange[] {
  const total = figureFields(sumFigures(Object.values(figures)));
  const changes = setFields({
    'execution.cost_usd': total['cost_usd'],
    'execution.unknown_cost_calls': total['unknown_cost_calls'],
    'execution.worked_ms': total['worked_ms'],
  });
  return Object.keys(figures).length < 2 ? changes : [...changes, ...runChanges(figures)];
}

export function runChanges(figures: FiguresByRun): readonly DocumentChange[] {
  const runs = Object.entries(figures).map(([runId, each]) => [runId, figureFields(each)]);
  return setFields({ 'execution.runs': Object.fromEntries(runs) });
}

export function historyEntry(
  call: OfRun,
  change: { readonly from: string; readonly to: string; readonly at: string },
): DocumentChange {
  return { type: 'add', at: ['status_history'], value: { ...change, run_id: call.runId } };
}
