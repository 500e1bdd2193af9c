import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { exitCodeFor, outcomeName } from '../model/failure.ts';
import type { StepRecord, WorkOutput } from '../model/record.ts';
import { sumSpent } from '../model/sum-spent.ts';
import type { Stepped } from './durable.ts';

/** The record of a step. Cost, duration and attempts are sums over all its calls; `earlier` are those before the last. */
export function recordOf(
  stepped: Stepped<WorkOutput>,
  earlier: readonly Stepped<WorkOutput>[] = [],
): StepRecord {
  const { output } = stepped;
  const status = output.failure === undefined ? 'completed' : 'failed';
  if (earlier.length === 0 && stepped.spentBefore === undefined) {
    const { startedAt, endedAt: completedAt, durationMs, attempts } = stepped;
    // In this order: V8 adds fields to a copy of parsed JSON twenty times slower.
    return { status, startedAt, completedAt, durationMs, attempts, ...output };
  }
  const calls = [...earlier, stepped];
  const spent = sumSpent(
    calls.flatMap(({ spentBefore = [], output }) => [
      ...spentBefore,
      ...(output.spent === undefined ? [] : [output.spent]),
    ]),
  );
  return {
    ...output,
    ...defined({ spent }),
    status,
    startedAt: calls[0]?.startedAt ?? stepped.startedAt,
    completedAt: stepped.endedAt,
    durationMs: calls.reduce((sum, { durationMs }) => sum + durationMs, 0),
    attempts: calls.reduce((sum, { attempts }) => sum + attempts, 0),
  };
}

/** The record of a step that ended without any effect: skipped, or failed before anything started. */
export function instantRecord(
  at: string,
  end: { readonly failure?: Failure; readonly skipped?: boolean },
): StepRecord {
  const { failure } = end;
  return {
    status: end.skipped === true ? 'skipped' : failure === undefined ? 'completed' : 'failed',
    exitCode: failure === undefined ? 0 : exitCodeFor(failure),
    outcome: end.skipped === true ? 'skipped' : failure === undefined ? 'done' : outcomeName(failure),
    ...defined({ failure }),
    startedAt: at,
    completedAt: at,
    durationMs: 0,
    attempts: 0,
  };
}
