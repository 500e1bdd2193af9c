import type { JsonValue } from '../../model/json.ts';
import { error, ok } from '../../model/result.ts';
import type { PhasesDocument } from '../../phases/document.ts';
import { problemWords } from '../../phases/files/alone.ts';
import { changePhases, loadPhases } from '../../phases/files/change-document.ts';
import { loadTodos } from '../../phases/files/view-file.ts';
import { phasesPaths } from '../../phases/layout.ts';
import { type Changing, completePhase, failPhase, startPhase } from '../../phases/transitions.ts';
import type { CliContext } from '../context.ts';
import { objectOf, refusal, type Tool, type ToolAnswer, text, textIn, texts, textsIn } from './tool.ts';

const phase = text('its id: phase_0, phase_1, …');

export const PHASE_TOOLS: readonly Tool[] = [
  {
    name: 'workflow_get',
    description:
      'The phases of the current task: which are done, which one is active, and the context that each leaves for the next.',
    input: objectOf({}),
    readOnly: true,
    async run({ workspace }) {
      const paths = phasesPaths(workspace);
      const loaded = loadPhases(paths);
      if (loaded.type === 'error') return error(refusal(problemWords(loaded.error)));
      return ok({ ...loaded.value, todos: loadTodos(paths) } as unknown as JsonValue);
    },
  },
  {
    name: 'phase_start',
    description: 'Begin a pending phase. One phase is active at a time.',
    input: objectOf({ phase }, ['phase']),
    run: (context, given) => {
      const id = textIn(given, 'phase') ?? '';
      return change(context, (document) => startPhase(document, id, { at: now() }));
    },
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
    run: (context, given) => {
      const id = textIn(given, 'phase') ?? '';
      return change(context, (document) =>
        completePhase(document, id, {
          at: now(),
          deliverables: textsIn(given, 'deliverables') ?? [],
          context: textIn(given, 'context') ?? '',
        }),
      );
    },
  },
  {
    name: 'phase_fail',
    description:
      'Say that the active phase cannot be done, and why. The workflow stands still until it is tried again.',
    input: objectOf({ phase, error: text('why') }, ['phase', 'error']),
    run: (context, given) => {
      const id = textIn(given, 'phase') ?? '';
      return change(context, (document) =>
        failPhase(document, id, { at: now(), error: textIn(given, 'error') ?? '' }),
      );
    },
  },
];

async function change(
  { workspace }: CliContext,
  make: (document: PhasesDocument) => Changing,
): Promise<ToolAnswer> {
  const changed = await changePhases(phasesPaths(workspace), 'mcp', make);
  if (changed.type === 'error') return error(refusal(problemWords(changed.error)));
  return ok(changed.value.document as unknown as JsonValue);
}

function now(): string {
  return new Date().toISOString();
}
