/** `IMPL_PLAN.md`: the overview, requirements, tasks and dependencies. Generated, never read. */
import type { SessionFile } from '../document/session-file.ts';
import type { TaskDetails } from '../document/task.ts';
import { countTasks, isLeaf, statusOf, type TaskGraph } from '../document/task-graph.ts';
import { markdownLine } from './markdown-line.ts';

/** A diagram of more tasks than this is unreadable. */
const MOST_PICTURED = 200;

export function renderPlan(session: SessionFile, graph: TaskGraph<TaskDetails>): string {
  const { total } = countTasks(graph);
  const parts = [
    `# Implementation Plan: ${markdownLine(session.project)}`,
    `## Overview\n${session.overview ?? markdownLine(session.project)}\n\n- **Session**: ${session.session_id}\n- **Kind**: ${session.kind}\n- **Complexity**: ${session.type}\n- **Phase**: ${session.current_phase}\n- **Tasks**: ${total}`,
    `## Requirements\n${requirements(session, graph)}`,
    `## Task Structure\n${structure(graph)}`,
  ];
  if (graph.tasks.length > 0) parts.push(`## Dependencies\n${picture(graph)}`);
  return `${parts.join('\n\n')}\n`;
}

function requirements(session: SessionFile, graph: TaskGraph<TaskDetails>): string {
  const all = session.requirements ?? requirementsOf(graph);
  return all.length === 0 ? '- none recorded yet' : all.map((each) => `- ${markdownLine(each)}`).join('\n');
}

/** Each once, in the order of the tasks. */
function requirementsOf(graph: TaskGraph<TaskDetails>): readonly string[] {
  const all = new Set<string>();
  for (const task of graph.tasks) for (const each of task.requirements) all.add(each);
  return [...all];
}

function structure(graph: TaskGraph<TaskDetails>): string {
  if (graph.tasks.length === 0) return 'No tasks are planned yet.';
  let text = '';
  for (const task of graph.tasks) {
    const indent = task.parent === undefined ? '' : '  ';
    const { dependsOn, focusPaths, requirements, acceptance } = task;
    text += `\n${indent}- ${headline(task, graph)}`;
    if (dependsOn.length > 0) text += `\n${indent}  - Depends on: ${dependsOn.join('; ')}`;
    if (focusPaths.length > 0) text += `\n${indent}  - Focus: \`${focusPaths.join('`, `')}\``;
    if (requirements.length > 0) text += `\n${indent}  - Requirements: ${listed(requirements)}`;
    if (acceptance.length > 0) text += `\n${indent}  - Acceptance: ${listed(acceptance)}`;
  }
  return text.slice(1);
}

function headline(task: TaskDetails, graph: TaskGraph<TaskDetails>): string {
  const { type, agent } = task;
  const kind = !isLeaf(graph, task.id) ? 'container' : type && agent ? `${type}, ${agent}` : type || agent;
  return `**${task.id}**: ${markdownLine(task.title)}${kind === '' ? '' : ` (${kind})`}`;
}

function listed(texts: readonly string[]): string {
  return markdownLine(texts.join('; '));
}

function picture(graph: TaskGraph<TaskDetails>): string {
  if (graph.tasks.length > MOST_PICTURED)
    return `There are ${graph.tasks.length} tasks, too many for a diagram; \`orchestrate task list\` shows their dependencies.`;
  const lines = ['graph TD'];
  for (const task of graph.tasks) {
    const label = `${task.id}: ${markdownLine(task.title)}`.replace(/["\\<>&#;`]/g, ' ').slice(0, 60);
    lines.push(`  ${node(task.id)}["${label}"]`);
  }
  for (const task of graph.tasks) {
    for (const id of task.dependsOn) if (graph.byId.has(id)) lines.push(`  ${node(id)} --> ${node(task.id)}`);
    if (task.parent !== undefined && graph.byId.has(task.parent))
      lines.push(`  ${node(task.parent)} -.- ${node(task.id)}`);
  }
  const done = graph.tasks.filter((task) => statusOf(graph, task.id) === 'completed');
  if (done.length > 0) {
    lines.push(
      '  classDef done fill:#dfd,stroke:#393',
      `  class ${done.map(({ id }) => node(id)).join(',')} done`,
    );
  }
  return `\`\`\`mermaid\n${lines.join('\n')}\n\`\`\``;
}

function node(id: string): string {
  return id.replace(/[-.]/g, '_');
}
