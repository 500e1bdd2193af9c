import { countText, durationText, numberText, spendingText } from '../../model/amounts.ts';
import type {
  CheckReport,
  IterationReport,
  LoopProof,
  LoopReport,
  Spending,
} from '../../model/loop-report.ts';
import { unreachable } from '../../model/unreachable.ts';

/** `$0.0300 + 1 call of unknown cost (3 agent calls, 1 interrupted)`. */
export function costWords(spending: Spending & { readonly lost_calls: number }): string {
  const { agent_calls, unknown_cost_calls, lost_calls } = spending;
  const known = spendingText(spending)?.replace(/^cost /, '');
  const cost = known === undefined ? 'none' : agent_calls === unknown_cost_calls ? 'unknown' : known;
  const calls = [
    ...(agent_calls === 0 ? [] : [countText(agent_calls, 'agent call')]),
    ...(lost_calls === 0 ? [] : [`${lost_calls} interrupted`]),
  ];
  return calls.length === 0 ? cost : `${cost} (${calls.join(', ')})`;
}

/** Time in which something ran, and time in which a usage limit was waited for. */
export function timeWords({
  worked_ms,
  waited_ms,
}: Pick<IterationReport, 'worked_ms' | 'waited_ms'>): string {
  const waited = waited_ms === 0 ? '' : ` + ${durationText(waited_ms)} waiting for a usage limit`;
  return `${durationText(worked_ms)}${waited}`;
}

export function fileCount(count: number | null): string {
  return count === null ? 'unknown' : numberText(count);
}

export function fileWords({ files, shared }: Pick<IterationReport, 'files' | 'shared'>): string {
  if (files === null) return 'unknown (no git repository)';
  const by = shared === true ? ' (some may be the work of another loop)' : '';
  return `${files.length === 0 ? 'none' : countText(files.length, 'file')}${by}`;
}

export function checkCount(checks: readonly CheckReport[]): string {
  if (checks.length === 0) return '';
  return `${checks.filter(({ passed }) => passed).length}/${checks.length} passed`;
}

export function checkLine({ command, passed, why, took_ms }: CheckReport): string {
  return passed ? `✓ ${command} (${durationText(took_ms)})` : `✗ ${command}: ${why ?? 'failed'}`;
}

export function resultWords({ status, stop_reason }: Pick<LoopReport, 'status' | 'stop_reason'>): string {
  return stop_reason === undefined || stop_reason === status ? status : `${status} (${stop_reason})`;
}

/** What is known beyond the agent's own word. */
export function proofWords(proof: LoopProof): string {
  const checks = `${proof.checks_passed} of ${countText(proof.checks, 'check')} passed`;
  const claims =
    proof.false_claims === 0
      ? ''
      : `; ${countText(proof.false_claims, 'false claim')} of completion rejected`;
  switch (proof.type) {
    case 'verified':
      return `verified by another agent call${proof.checks === 0 ? '' : `, ${checks}`}${claims}`;
    case 'checked':
      return `${checks}, not verified${claims}`;
    case 'claimed':
      return `only claimed by the agent: no check, no verification${claims}`;
    case 'refuted':
      return `not complete: ${countText(proof.false_claims, 'claim')} of completion rejected`;
    case 'none':
      return 'not complete';
    default:
      return unreachable(proof.type);
  }
}
