import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import { exitCodeFor, type Failure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { StepRecord, WorkOutput } from '../model/record.ts';
import type { StepError, StepState } from '../model/run-state.ts';

/** The fields of a record under their names in state.json; missing fields stay missing. */
export function renderStepState(record: Partial<StepRecord>): Partial<StepState> {
  const state: Writable<StepState> = {};
  writeStepState(state, record, record);
  return state;
}

/** The fields that a record has besides the output. */
export type StepTimes = Omit<StepRecord, keyof WorkOutput>;

type Writable<State> = { -readonly [Field in keyof State]?: State[Field] };

/** The same, written over the state of a step. */
export function writeStepState(
  state: Writable<StepState>,
  record: Partial<WorkOutput>,
  times: Partial<StepTimes>,
): void {
  if (times.status !== undefined)
    state.status = record.failure?.type === 'cancelled' ? 'cancelled' : times.status;
  if (record.exitCode !== undefined) state.exit_code = record.exitCode;
  if (times.allowed !== undefined) state.failure_allowed = times.allowed;
  if (record.outcome !== undefined) state.outcome = record.outcome;
  if (times.startedAt !== undefined) state.started_at = times.startedAt;
  if (times.completedAt !== undefined) state.completed_at = times.completedAt;
  if (times.durationMs !== undefined) state.duration_ms = times.durationMs;
  if (times.attempts !== undefined) state.attempts = times.attempts;
  if (record.capture !== undefined && record.capture !== 'text') state.output_capture = record.capture;
  if (record.output !== undefined) state.output = record.output;
  if (record.lines !== undefined) state.lines = record.lines;
  if (record.json !== undefined) state.json = record.json;
  if (record.values !== undefined) state.values = record.values;
  if (record.truncated !== undefined) state.truncated = record.truncated;
  if (record.files !== undefined) state.files = record.files;
  if (record.waitDurationMs !== undefined) {
    state.wait_duration = record.waitDurationMs / 1000;
    state.wait_duration_ms = record.waitDurationMs;
  }
  if (record.pollCount !== undefined) state.poll_count = record.pollCount;
  if (record.timedOut !== undefined) state.timed_out = record.timedOut;
  if (record.artifacts !== undefined) state.artifacts = record.artifacts;
  if (record.spent !== undefined) {
    state.cost_usd = record.spent.costUsd;
    if (record.spent.unknownCalls !== undefined) state.unknown_cost_calls = record.spent.unknownCalls;
    if (record.spent.usage !== undefined) state.usage = { ...record.spent.usage };
  }
  if (record.sessionId !== undefined) state.session_id = record.sessionId;
  if (record.debug !== undefined) state.debug = record.debug;
  if (record.failure !== undefined) state.error = renderError(record.failure, record);
}

function renderError(failure: Failure, record: Partial<WorkOutput>): StepError {
  const context = errorContext(failure);
  return {
    message: describeFailure(failure),
    type: failure.type,
    exit_code: record.exitCode ?? exitCodeFor(failure),
    ...defined({ stdout_tail: record.stdoutTail, stderr_tail: record.stderrTail, context }),
  };
}

/** The machine-readable part of an error, under the names workflows route on. */
function errorContext(failure: Failure): JsonObject | undefined {
  switch (failure.type) {
    case 'undefined-variables':
      return { undefined_vars: failure.names };
    case 'missing-placeholders':
      return { missing_placeholders: failure.names };
    case 'missing-dependencies':
      return { failed_deps: failure.patterns };
    case 'bad-pointer':
      return { pointer: failure.pointer, reason: failure.reason };
    case 'unsafe-path':
      return { path: failure.path };
    case 'invalid-output':
      return { reason: failure.reason };
    case 'unproven':
      return { reasons: failure.reasons };
    case 'conflict':
      return { files: failure.files, ...defined({ branch: failure.branch }) };
    case 'rejected':
      return { branch: failure.branch, ...defined({ comment: failure.comment }) };
    case 'branches-failed':
      return { causes: failure.causes.map((cause) => ({ ...cause })) };
    case 'agent':
      return { outcome: { ...failure.outcome } };
    case 'file':
      return { path: failure.path, code: failure.code };
    case 'over-budget':
      return { limit: failure.limit, spent: failure.spent };
    default:
      // Partial: the message of the others is complete.
      return undefined;
  }
}
