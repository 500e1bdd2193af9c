/** `TODO_LIST.md`: every task, done or not, with links to its documents. Generated, never read. */
import type { TaskDetails } from '../document/task.ts';
import { isLeaf, type TaskGraph } from '../document/task-graph.ts';
import { summaryFileName, taskFileName } from '../layout.ts';
import { markdownLine } from './markdown-line.ts';

const LEGEND = `## Status Legend
- \`▸\` = Container task (has subtasks)
- \`- [ ]\` = Pending leaf task  
- \`- [x]\` = Completed leaf task
- Maximum 2 levels: Main tasks and subtasks only
`;

export function renderTodoList(given: {
  readonly topic: string;
  readonly graph: TaskGraph<TaskDetails>;
  readonly notes?: string;
}): string {
  const { topic, graph, notes } = given;
  const mains = graph.tasks.filter((task) => task.parent === undefined || !graph.byId.has(task.parent));
  const blocks = mains.map((main, index) => renderMain(main, graph, index === mains.length - 1));
  const progress = `## Task Progress\n${blocks.length === 0 ? '\n' : blocks.join('')}`;
  const said = notes === undefined || notes === '' ? '' : `\n## Notes\n${notes}\n`;
  return `# Tasks: ${markdownLine(topic)}\n\n${progress}${LEGEND}${said}`;
}

/** Includes the blank line after it, which is indented like the group. */
function renderMain(main: TaskDetails, graph: TaskGraph<TaskDetails>, isLast: boolean): string {
  if (isLeaf(graph, main.id)) return `${renderLeaf(main)}\n\n`;
  const children = (graph.children.get(main.id) ?? []).map((child) => `  ${renderLeaf(child)}\n`);
  return `▸ **${main.id}**: ${markdownLine(main.title)} → ${taskLink(main)}\n${children.join('')}${isLast ? '' : '  '}\n`;
}

function renderLeaf(task: TaskDetails): string {
  const isDone = task.status === 'completed';
  const summary =
    isDone && task.summary !== undefined ? ` | [✅](./.summaries/${summaryFileName(task.id)})` : '';
  return `- [${isDone ? 'x' : ' '}] **${task.id}**: ${markdownLine(task.title)} → ${taskLink(task)}${summary}`;
}

function taskLink(task: TaskDetails): string {
  return `[📋](./.task/${taskFileName(task.id)})`;
}
