import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { exitCodeFor, outcomeName } from '../model/failure.ts';
import type { StepRecord, WorkOutput } from '../model/record.ts';
import type { Stepped } from './durable.ts';

/** The record of a step that consists of one effect. */
export function recordOf(stepped: Stepped<WorkOutput>): StepRecord {
  return {
    ...stepped.output,
    status: stepped.output.failure === undefined ? 'completed' : 'failed',
    startedAt: stepped.startedAt,
    completedAt: stepped.endedAt,
    durationMs: stepped.durationMs,
    attempts: stepped.attempts,
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
