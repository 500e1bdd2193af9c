/** What a hook tells the model: where the phases stand, and the list to bring its own in line with. */
import { activeOf, failedOf, nextOf, type Phase, type PhasesDocument, previousOf } from '../document.ts';
import { phaseTodos } from '../todos.ts';

const EVENT_NAMES: { readonly [event: string]: string } = {
  'session-start': 'SessionStart',
  'post-tool-use': 'PostToolUse',
  'post-tool-use-failure': 'PostToolUseFailure',
};

/** Nothing for events whose answer no model reads. */
export function renderAnswer(event: string, context: string): string | undefined {
  const hookEventName = EVENT_NAMES[event];
  if (hookEventName === undefined) return undefined;
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: context } })}\n`;
}

export function renderContext(document: PhasesDocument): string {
  return [
    `Workflow ${document.id} is ${document.status}: ${document.task}`,
    ...standing(document),
    'Bring your todo list in line with these phases:',
    JSON.stringify(phaseTodos(document)),
  ].join('\n');
}

function standing(document: PhasesDocument): readonly string[] {
  const failed = failedOf(document.phases);
  if (failed !== undefined) {
    return [
      `${named(failed)} has failed: ${failed.error ?? 'no reason was given'}`,
      `It stays failed until \`orchestrate phases retry ${failed.id}\` makes it active again.`,
    ];
  }
  const active = activeOf(document.phases);
  const phase = active ?? nextOf(document.phases);
  if (phase === undefined) return ['All its phases are completed.'];
  const context = previousOf(document, phase)?.context_for_next ?? '';
  return [
    `${named(phase)} is ${active === undefined ? 'next' : 'active'}${phase.agent === '' ? '' : `, for the agent \`${phase.agent}\``}.`,
    ...(context === '' ? [] : [`Context from the phase before it: ${context}`]),
    `Put the line \`Phase ID: ${phase.id}\` into the prompt of its agent, and let the agent end with a list under \`Deliverables:\`.`,
  ];
}

function named(phase: Phase): string {
  return `Phase ${phase.id} (${phase.title})`;
}
