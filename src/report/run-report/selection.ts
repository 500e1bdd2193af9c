import { spanMs } from '../../model/span.ts';
import type { ReportedStep } from './run-report.ts';
import type { Span } from './timeline.ts';

export interface Selected<Row> {
  readonly rows: readonly Row[];
  /** Number of rows omitted. */
  readonly leftOut: number;
}

/** Selects failed and top-level steps and as many others as fit, in their order. */
export function selectSteps(steps: readonly ReportedStep[], limit: number): Selected<ReportedStep> {
  const isNotable = (step: ReportedStep): boolean => step.status === 'failed' || step.depth === 0;
  let room = limit - steps.filter(isNotable).length;
  const rows = steps.filter((step) => {
    if (isNotable(step)) return true;
    room -= 1;
    return room >= 0;
  });
  return { rows, leftOut: steps.length - rows.length };
}

const FAILURES_SHOWN = 100;

/** Failures that `allow_failure`, `join` or a loop allows are shown after the others, under a heading of their own. */
export interface FailureGroup extends Selected<ReportedStep> {
  readonly heading: 'Failures' | 'Allowed failures';
}

/** Selects the first failed steps, whose errors are shown in full. What was stopped did not fail. */
export function selectFailures(
  steps: readonly ReportedStep[],
  limit = FAILURES_SHOWN,
): readonly FailureGroup[] {
  const failed = steps.filter((step) => step.error !== undefined && step.status !== 'cancelled');
  const group = (heading: FailureGroup['heading'], isAllowed: boolean): FailureGroup => {
    const all = failed.filter((step) => (step.failure_allowed === true) === isAllowed);
    const rows = all.slice(0, limit);
    return { heading, rows, leftOut: all.length - rows.length };
  };
  return [group('Failures', false), group('Allowed failures', true)];
}

/** Selects the longest spans. */
export function selectSpans(spans: readonly Span[], limit: number): Selected<Span> {
  if (spans.length <= limit) return { rows: spans, leftOut: 0 };
  const lengths = spans.map(lengthMs).sort((a, b) => b - a);
  const shortest = lengths[limit - 1] ?? 0;
  const rows = spans.filter((span) => lengthMs(span) >= shortest).slice(0, limit);
  return { rows, leftOut: spans.length - rows.length };
}

export function lengthMs(span: Span): number {
  return spanMs(span.started_at, span.ended_at);
}
