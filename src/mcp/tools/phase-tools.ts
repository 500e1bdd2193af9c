import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok } from '../../model/result.ts';
import {
  completePhase,
  failPhase,
  reopenPhase,
  retryPhase,
  startPhase,
} from '../../operations/phases/change-phase.ts';
import { getPhases } from '../../operations/phases/get-phases.ts';

import { objectOf, type Tool, type ToolAnswer, text, textIn, texts, textsIn } from './tool.ts';

const phase = text('phase id: phase_0, phase_1, …');
const words = (description: string): JsonObject => ({ type: 'string', description });

export const PHASE_TOOLS: readonly Tool[] = [
  {
    name: 'workflow_get',
    description:
      'Get the phases of the current task: which are completed, which one is active, and the context each left for the next.',
    input: objectOf({}),
    readOnly: true,
    run(site) {
      const found = getPhases(site);
      if (found.type === 'error') return found;
      const { document, todos } = found.value;
      return ok({ ...document, todos } as unknown as JsonValue);
    },
  },
  {
    name: 'phase_start',
    description: 'Start a pending phase. Only one phase is active at a time.',
    input: objectOf({ phase }, ['phase']),
    run: (site, given) => changed(startPhase(site, { phase: textIn(given, 'phase') ?? '' })),
  },
  {
    name: 'phase_complete',
    description: 'Mark the active phase completed, with its deliverables. The next phase starts.',
    input: objectOf(
      {
        phase,
        deliverables: texts('files and other results of the phase'),
        context_for_next: words('information that the next phase needs'),
        context: words('another name of `context_for_next`'),
      },
      ['phase'],
    ),
    run(site, given) {
      const { context_for_next, context = context_for_next } = given;
      if (context_for_next !== undefined && context_for_next !== context)
        return error({ type: 'different-arguments', names: ['context_for_next', 'context'] });
      return changed(
        completePhase(site, {
          phase: textIn(given, 'phase') ?? '',
          deliverables: textsIn(given, 'deliverables') ?? [],
          context: typeof context === 'string' ? context : '',
        }),
      );
    },
  },
  {
    name: 'phase_fail',
    description:
      'Mark the active phase failed, with the reason. The workflow stops until the phase is retried.',
    input: objectOf({ phase, error: text('reason for the failure') }, ['phase', 'error']),
    run: (site, given) =>
      changed(failPhase(site, { phase: textIn(given, 'phase') ?? '', error: textIn(given, 'error') ?? '' })),
  },
  {
    name: 'phase_retry',
    description: 'Start a failed phase again.',
    input: objectOf({ phase }, ['phase']),
    run: (site, given) => changed(retryPhase(site, { phase: textIn(given, 'phase') ?? '' })),
  },
  {
    name: 'phase_reopen',
    description: 'Undo the completion of a phase: it is active again, and its results are removed.',
    input: objectOf({ phase }, ['phase']),
    run: (site, given) => changed(reopenPhase(site, { phase: textIn(given, 'phase') ?? '' })),
  },
];

/** The document after the change. */
async function changed(change: ReturnType<typeof startPhase>): Promise<ToolAnswer> {
  const done = await change;
  return done.type === 'ok' ? ok(done.value.document as unknown as JsonValue) : done;
}
