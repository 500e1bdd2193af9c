import type { DocumentChange } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Spent } from '../../model/record.ts';

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
    ...setFields({ status: 'completed', 'execution.kept_branch': undefined }),
    historyEntry(call, { from: 'active', to: 'completed', at }),
  ];
}

export function blockedChanges(
  call: OfRun,
  ended: {
    readonly at: string;
    readonly failure: Failure;
    readonly spent?: Spent;
    readonly workedMs?: number;
    /** Has its finished work, which is not merged. */
    readonly keptBranch?: string;
  },
): readonly DocumentChange[] {
  return [
    ...setFields({
      status: 'blocked',
      'execution.last_error': describeFailure(ended.failure),
      'execution.kept_branch': ended.keptBranch,
      ...spentFields(ended.spent),
      ...defined({ 'execution.worked_ms': ended.workedMs }),
    }),
    historyEntry(call, { from: 'active', to: 'blocked', at: ended.at }),
  ];
}

/** Undefined leaves what is there: no agent was called. */
export function spentFields(spent: Spent | undefined): { readonly [path: string]: JsonValue | undefined } {
  if (spent === undefined) return {};
  return { 'execution.cost_usd': spent.costUsd, 'execution.unknown_cost_calls': spent.unknownCalls };
}

export function historyEntry(
  call: OfRun,
  change: { readonly from: string; readonly to: string; readonly at: string },
): DocumentChange {
  return { type: 'add', at: ['status_history'], value: { ...change, run_id: call.runId } };
}
