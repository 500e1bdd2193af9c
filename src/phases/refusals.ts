/** Why the phases could not be changed: a closed list of values, with their words. */
import { advice, command } from '../model/advice.ts';
import { type DescribedProblem, form, type ProblemsOf, said } from '../model/problem-form.ts';
import { unreachable } from '../model/unreachable.ts';
import { holderHelp, holderText } from '../store/describe-held.ts';
import type { DocumentProblem } from '../store/document.ts';
import type { Held } from '../store/lock.ts';

interface OfPhase {
  readonly phase: string;
}

interface WithReason {
  readonly reason: string;
}

interface Standing extends OfPhase {
  readonly status: string;
}

/** The reason a phase failed may be an agent's text of many lines. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export const phaseRefusals = () => ({
  'no-phases': form('not-found', () =>
    said(
      'no workflow found here',
      advice`create one with ${command('phases create "<task>" --phase "Title::agent"')}`,
    ),
  ),
  'phases-exist': form('conflict', ({ reason }: WithReason) =>
    said(
      reason,
      advice`archive it with ${command('phases archive')}, or use ${command('phases create --archive')}`,
    ),
  ),
  'phases-held': form('held', ({ held }: { readonly held: Held }) =>
    said(`\`workflow.json\` is being changed by ${holderText(held)}`, holderHelp(held)),
  ),
  'invalid-phases-document': form('invalid', ({ reason }: WithReason) => said(onOneLine(reason))),
  'phases-file-error': form('failed', ({ reason }: WithReason) => said(onOneLine(reason))),

  'unknown-phase': form('not-found', ({ phase, phases }: OfPhase & { readonly phases: readonly string[] }) =>
    said(`unknown phase \`${phase}\``, `phases: ${phases.join(', ')}`),
  ),
  'other-phase-active': form('conflict', ({ phase }: OfPhase) =>
    said(
      `\`${phase}\` is already active; only one phase can be active at a time`,
      advice`end it with ${{ operation: 'change-phase', change: 'complete', phase }} or ${{ operation: 'change-phase', change: 'fail', phase }}`,
    ),
  ),
  'phase-active': form('conflict', ({ phase }: OfPhase) => said(`\`${phase}\` is active`)),
  'phase-has-status': form('conflict', ({ phase, status }: Standing) =>
    said(`\`${phase}\` is already ${status}`),
  ),
  'phase-pending': form('conflict', ({ phase, active }: OfPhase & { readonly active?: string | undefined }) =>
    said(
      `\`${phase}\` is pending`,
      active === undefined
        ? advice`start it with ${{ operation: 'change-phase', change: 'start', phase }}`
        : `\`${active}\` is active; end it first`,
    ),
  ),
  'phase-not-failed': form('conflict', ({ phase, status }: Standing) =>
    said(`\`${phase}\` is ${status}; only a failed phase can be retried`),
  ),
  'phase-not-completed': form('conflict', ({ phase, status }: Standing) =>
    said(`\`${phase}\` is ${status}; only a completed phase can be reopened`),
  ),
  'phases-stopped': form(
    'conflict',
    ({ phase, reason }: OfPhase & { readonly reason?: string | undefined }) =>
      said(
        onOneLine(`\`${phase}\` failed${reason === undefined || reason === '' ? '' : `: ${reason}`}`),
        advice`retry it with ${{ operation: 'change-phase', change: 'retry', phase }}`,
      ),
  ),
  'no-phase-left': form('conflict', () => said('no pending phase is left to start')),
  'phase-of-other-run': form('conflict', ({ phase, runId }: OfPhase & { readonly runId: string }) =>
    said(`run \`${runId}\` is still working on \`${phase}\``),
  ),
  'phases-completed': form('conflict', () => said('all phases are completed')),
});

export type PhaseRefusal = ProblemsOf<ReturnType<typeof phaseRefusals>>;

/** What a problem with the document means for the phases. */
export function documentRefusal(problem: DocumentProblem): PhaseRefusal {
  switch (problem.type) {
    case 'missing':
      return { type: 'no-phases' };
    case 'exists':
      return { type: 'phases-exist', reason: problem.message };
    case 'not-json':
    case 'invalid':
      return { type: 'invalid-phases-document', reason: problem.message };
    case 'file-error':
      return { type: 'phases-file-error', reason: problem.message };
    case 'held':
      return { type: 'phases-held', held: problem };
    default:
      return unreachable(problem);
  }
}

export function isRefusal(problem: PhaseRefusal | DocumentProblem): problem is PhaseRefusal {
  return Object.hasOwn(phaseRefusals(), problem.type);
}

export function refusalWords(problem: PhaseRefusal): DescribedProblem {
  const { words } = phaseRefusals()[problem.type];
  return (words as (data: PhaseRefusal) => DescribedProblem)(problem);
}
