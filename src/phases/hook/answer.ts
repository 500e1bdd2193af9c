/** A hook's answer to the model: the state of the phases, and the todo list to adopt. */
import { activeOf, failedOf, nextOf, type Phase, type PhasesDocument, previousOf } from '../document.ts';
import { phaseTodos } from '../todos.ts';

const EVENT_NAMES: { readonly [event: string]: string } = {
  'session-start': 'SessionStart',
  'post-tool-use': 'PostToolUse',
  'post-tool-use-failure': 'PostToolUseFailure',
};

/** Undefined for events whose answer the model does not read. */
export function renderAnswer(event: string, context: string): string | undefined {
  const hookEventName = EVENT_NAMES[event];
  if (hookEventName === undefined) return undefined;
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: context } })}\n`;
}

export function renderContext(document: PhasesDocument): string {
  return [
    `Workflow ${document.id} is ${document.status}: ${document.task}`,
    ...standing(document),
    'Update your todo list to match these phases:',
    JSON.stringify(phaseTodos(document)),
  ].join('\n');
}

function standing(document: PhasesDocument): readonly string[] {
  const failed = failedOf(document.phases);
  if (failed !== undefined) {
    return [
      `${named(failed)} failed: ${failed.error ?? 'no reason given'}`,
      `It stays failed until it is retried with \`orchestrate phases retry ${failed.id}\`.`,
    ];
  }
  const active = activeOf(document.phases);
  const phase = active ?? nextOf(document.phases);
  if (phase === undefined) return ['All phases are completed.'];
  const context = previousOf(document, phase)?.context_for_next ?? '';
  return [
    `${named(phase)} is ${active === undefined ? 'next' : 'active'}${phase.agent === '' ? '' : `, for the agent \`${phase.agent}\``}.`,
    ...(context === '' ? [] : [`Context from the previous phase: ${context}`]),
    `Put the line \`Phase ID: ${phase.id}\` into its agent's prompt, and have the agent end with a list under \`Deliverables:\` and what the next phase needs to know after \`Context for next:\`.`,
  ];
}

function named(phase: Phase): string {
  return `Phase ${phase.id} (${phase.title})`;
}
