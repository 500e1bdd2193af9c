import type { JsonObject } from '../../model/json.ts';
import { type Phase, type PhasesDocument, previousOf } from '../document.ts';

/** The schema of an agent's answer at the end of a phase. */
export interface PhaseAnswer {
  readonly status: 'completed' | 'failed';
  readonly deliverables: readonly string[];
  readonly context_for_next: string;
  readonly error: string;
}

export const ANSWER_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['completed', 'failed'], description: 'whether the phase is done' },
    deliverables: {
      type: 'array',
      items: { type: 'string' },
      description: 'files that were created, relative to this folder, and other results',
    },
    context_for_next: { type: 'string', description: 'what the agent of the next phase needs to know' },
    error: { type: 'string', description: 'why it failed; empty if it did not' },
  },
  required: ['status', 'deliverables', 'context_for_next', 'error'],
  additionalProperties: false,
};

export function phasePrompt(document: PhasesDocument, phase: Phase): string {
  const index = document.phases.findIndex(({ id }) => id === phase.id);
  const context = previousOf(document, phase)?.context_for_next ?? '';
  const done = document.phases.filter(({ status }) => status === 'completed');
  return [
    `The whole task: ${document.task}`,
    `Your part of it is phase ${index + 1} of ${document.phases.length}: ${phase.title}\nPhase ID: ${phase.id}`,
    ...(done.length === 0 ? [] : [`Already done:\n${done.map(doneLine).join('\n')}`]),
    ...(context === '' ? [] : [`Context from the previous phase:\n${context}`]),
    'Do only this phase. Then answer as requested: whether it is completed or failed and why, the deliverables, and what the next phase needs to know.',
  ].join('\n\n');
}

export function planPrompt(task: string, agents: readonly string[]): string {
  return [
    'Split this task into phases that are done one after the other, each by one agent. Do not start the work.',
    `The task: ${task}`,
    agents.length === 0
      ? 'No agents with roles are defined: leave `agent` empty.'
      : `Available agents: ${agents.join(', ')}. Leave \`agent\` empty if none of them fits.`,
  ].join('\n\n');
}

function doneLine({ title, deliverables }: Phase): string {
  return `- ${title}${deliverables.length === 0 ? '' : ` → ${deliverables.join(', ')}`}`;
}
