import {
  countText,
  durationText,
  momentText,
  spendingText,
  stepCostText,
  tokensText,
  usesTokens,
} from '../../model/amounts.ts';
import { shownStatus, UNVERIFIED, UNVERIFIED_TEXT } from '../../model/text-only-agent.ts';
import { printableLine } from '../text/printable.ts';
import { countsOf, stepsText } from '../text/run-words.ts';
import type { ReportedStep, RunReport } from './run-report.ts';

/** The facts at the top of a report, as pairs of name and text. */
export function headFacts(report: RunReport): readonly (readonly [string, string])[] {
  const { run, totals } = report;
  const facts: (readonly [string, string])[] = [
    ['Run', run.run_id],
    ['Status', run.status],
    ['Kind', run.kind],
  ];
  if (run.description !== undefined) facts.push(['Description', printableLine(run.description)]);
  if (run.workflow_file !== undefined) facts.push(['Workflow', run.workflow_file]);
  if (run.replayed_from !== undefined) facts.push(['Replayed from', printableLine(run.replayed_from)]);
  facts.push(['Started', momentText(run.started_at)], ['Duration', durationText(run.duration_ms)]);
  facts.push(['Steps', stepsText(countsOf(totals))]);
  facts.push(['Cost', costWords(report)]);
  if (usesTokens(totals)) facts.push(['Tokens', tokensText(totals)]);
  return facts;
}

/** The key, with the name of the item. */
export function nameOf({ key, item }: Pick<ReportedStep, 'key' | 'item'>): string {
  return item === undefined ? key : `${key} [${item}]`;
}

export function statusText(step: ReportedStep): string {
  const { status, failure_allowed } = step;
  if (shownStatus(step) === UNVERIFIED) return UNVERIFIED_TEXT;
  return failure_allowed === true ? `${status} (allowed)` : status;
}

function costWords({ totals }: RunReport): string {
  const spending = spendingText(totals);
  if (spending === undefined) return 'none (no agent was called)';
  const cost = totals.unknown_cost_calls === totals.agent_calls ? 'unknown' : spending;
  return `${cost} (${countText(totals.agent_calls, 'agent call')})`;
}

/** The cells of a step's row, after its key and status. */
export function stepCells(step: ReportedStep): {
  readonly took: string;
  readonly tries: string;
  readonly cost: string;
} {
  const tries = [];
  if ((step.attempts ?? 1) > 1) tries.push(`${step.attempts} attempts`);
  if (step.items !== undefined) tries.push(`${step.items_completed} of ${countText(step.items, 'item')}`);
  return {
    took: step.duration_ms === undefined || step.status === 'skipped' ? '' : durationText(step.duration_ms),
    tries: tries.join(', '),
    cost: (stepCostText(step) ?? '').replace(/^cost /, ''),
  };
}

export function statusMark(status: string): string {
  switch (status) {
    case 'completed':
      return '✓';
    case UNVERIFIED:
      return '!';
    case 'failed':
    case 'cancelled':
      return '✗';
    case 'skipped':
      return '○';
    case 'interrupted':
      return '■';
    default:
      return '▶';
  }
}
