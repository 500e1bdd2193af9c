import { visible } from '../model/visible.ts';
import { activeOf, type Phase, type PhasesDocument } from './document.ts';
import type { Todo } from './todos.ts';

/** `workflow_state_system.md`, for people. It is never read back. */
export function renderView(document: PhasesDocument, todos: readonly Todo[]): string {
  return `${renderPhases(document, todos)}
<!-- Generated from state/workflow.json; changes here are ignored. -->
`;
}

/** The same without the note. */
export function renderPhases(document: PhasesDocument, todos: readonly Todo[]): string {
  const current = activeOf(document.phases);
  return [
    `# Workflow Status: ${line(document.task)}`,
    '',
    `Status: ${document.status} | Current Phase: ${current === undefined ? 'none' : line(current.title)}`,
    '',
    '## Phases',
    '',
    ...document.phases.map(phaseLine),
    ...(todos.length === 0 ? [] : ['', "## The agent's own list", '', ...todos.map(todoLine)]),
    '',
  ].join('\n');
}

function phaseLine(phase: Phase, index: number): string {
  const box = phase.status === 'completed' ? '[x]' : '[ ]';
  const made = phase.deliverables.length === 0 ? '' : ` → ${phase.deliverables.map(line).join(', ')}`;
  const failed = phase.status === 'failed' ? ` (failed: ${line(phase.error ?? 'no reason given')})` : '';
  return `- ${box} Phase ${index}: ${line(phase.title)}${made}${failed}`;
}

function todoLine({ content, status }: Todo): string {
  const box = status === 'completed' ? '[x]' : '[ ]';
  return `- ${box} ${line(content)}${status === 'in_progress' ? ' (in progress)' : ''}`;
}

function line(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}
