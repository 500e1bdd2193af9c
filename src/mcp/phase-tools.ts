import type { JsonValue } from '../model/json.ts';
import { ok } from '../model/result.ts';
import { completePhase, failPhase, startPhase } from '../operations/phases/change-phase.ts';
import { getPhases } from '../operations/phases/get-phases.ts';
import { objectOf, type Tool, type ToolAnswer, text, textIn, texts, textsIn } from './tool.ts';

const phase = text('its id: phase_0, phase_1, …');

export const PHASE_TOOLS: readonly Tool[] = [
  {
    name: 'workflow_get',
    description:
      'The phases of the current task: which are done, which one is active, and the context that each leaves for the next.',
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
    description: 'Begin a pending phase. One phase is active at a time.',
    input: objectOf({ phase }, ['phase']),
    run: (site, given) => changed(startPhase(site, { phase: textIn(given, 'phase') ?? '' })),
  },
  {
    name: 'phase_complete',
    description: 'Say that the active phase is done, with what was made. The next phase begins.',
    input: objectOf(
      {
        phase,
        deliverables: texts('files that were made, and other results'),
        context: { type: 'string', description: 'what whoever does the next phase must know' },
      },
      ['phase'],
    ),
    run: (site, given) =>
      changed(
        completePhase(site, {
          phase: textIn(given, 'phase') ?? '',
          deliverables: textsIn(given, 'deliverables') ?? [],
          context: textIn(given, 'context') ?? '',
        }),
      ),
  },
  {
    name: 'phase_fail',
    description:
      'Say that the active phase cannot be done, and why. The workflow stands still until it is tried again.',
    input: objectOf({ phase, error: text('why') }, ['phase', 'error']),
    run: (site, given) =>
      changed(failPhase(site, { phase: textIn(given, 'phase') ?? '', error: textIn(given, 'error') ?? '' })),
  },
];

/** The document as it stands afterwards. */
async function changed(change: ReturnType<typeof startPhase>): Promise<ToolAnswer> {
  const done = await change;
  return done.type === 'ok' ? ok(done.value.document as unknown as JsonValue) : done;
}
