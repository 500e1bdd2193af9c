/** Explains why each step of a run ran, waited, was retried or was skipped. */
import { type Explanation, explainRun as explainEvents } from '../../engine/explain.ts';
import { ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { findStep } from './find-step.ts';
import { type RunWithEvents, readRunWithEvents } from './read-run.ts';

export type { Explanation, ReasonType } from '../../engine/explain.ts';

export interface ExplainedRun {
  readonly run: RunWithEvents;
  readonly explanations: readonly Explanation[];
}

export function explainRun(
  site: Site,
  asked: { readonly run: string; readonly step?: string | undefined },
): Result<ExplainedRun, Problem> {
  const run = readRunWithEvents(site, asked.run);
  if (run.type === 'error') return run;
  const explanations = explainEvents(run.value.events);
  if (asked.step === undefined) return ok({ run: run.value, explanations });
  const key = findStep(run.value.events, asked.step);
  if (key.type === 'error') return key;
  return ok({ run: run.value, explanations: explanations.filter((each) => each.key === key.value) });
}
