/** What `session status` shows: progress, the tree of tasks, what is ready, and what it has cost. */
import { spendingText } from '../../report/text/amounts.ts';
import { printableLine } from '../../report/text/printable.ts';
import type { TaskOutline, TaskStatus } from '../../session/document/task.ts';
import type { Session } from '../../session/sessions.ts';
import {
  countTasks,
  isLeaf,
  type OutlineGraph,
  openDependencies,
  readyTasks,
  statusOf,
  type TaskCounts,
} from '../../session/task-graph.ts';

const BAR_WIDTH = 30;
const MOST_READY = 10;
const SIGNS: Readonly<Record<TaskStatus, string>> = {
  pending: '○',
  active: '◐',
  completed: '●',
  blocked: '✗',
  container: '▸',
};

export interface StatusView {
  readonly session: Session;
  readonly graph: OutlineGraph;
  readonly running?: { readonly runId: string; readonly pid: number };
}

export function renderStatus(view: StatusView): string {
  const { session, graph } = view;
  const { file } = session;
  const counts = countTasks(graph);
  const lines = [
    `${session.id}: ${printableLine(file.project)}`,
    `  ${stateOf(session)}, ${file.current_phase}, ${file.type}, kind ${file.kind}`,
    `  ${progressBar(counts)}`,
  ];
  if (view.running !== undefined)
    lines.push(`  executed by run ${view.running.runId}, process ${view.running.pid}`);
  const spent = spendingText(spendingOf(session, graph));
  if (spent !== undefined) lines.push(`  cost: ${spent}`);
  if (graph.tasks.length > 0) lines.push('', ...graph.tasks.map((task) => taskLine(task, graph)));
  const ready = readyTasks(graph, overRun(view));
  if (ready.length > 0) {
    const named = ready.slice(0, MOST_READY).map((task) => task.id);
    lines.push(
      '',
      `ready: ${named.join(', ')}${ready.length > MOST_READY ? `, and ${ready.length - MOST_READY} more` : ''}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** The run that last executed tasks, where nobody executes them now. */
function overRun({ session, running }: StatusView): string | undefined {
  return running === undefined ? session.file.run_id : undefined;
}

function stateOf(session: Session): string {
  return session.isArchived ? 'completed' : session.file.status;
}

function progressBar(counts: TaskCounts): string {
  const done = counts.total === 0 ? 0 : Math.floor((counts.completed / counts.total) * BAR_WIDTH);
  const rest = [
    [counts.active, 'active'],
    [counts.blocked, 'blocked'],
  ] as const;
  const words = rest.filter(([count]) => count > 0).map(([count, word]) => `, ${count} ${word}`);
  return `[${'█'.repeat(done)}${'░'.repeat(BAR_WIDTH - done)}] ${counts.completed}/${counts.total} tasks completed${words.join('')}`;
}

function taskLine(task: TaskOutline, graph: OutlineGraph): string {
  const status = statusOf(graph, task.id) ?? task.status;
  const indent = task.parent === undefined ? '  ' : '    ';
  const sign = isLeaf(graph, task.id) || status !== 'container' ? SIGNS[status] : SIGNS.container;
  return `${indent}${sign} ${task.id}  ${printableLine(task.title)}${remark(task, graph)}`;
}

function remark(task: TaskOutline, graph: OutlineGraph): string {
  if (!isLeaf(graph, task.id)) return '';
  if (task.status === 'blocked')
    return `  blocked${task.execution.lastError === undefined ? '' : `: ${printableLine(task.execution.lastError)}`}`;
  if (task.status === 'active') return '  active';
  const waits = task.status === 'completed' ? [] : openDependencies(graph, task);
  return waits.length === 0 ? '' : `  waits for ${waits.join(', ')}`;
}

/** Each task that an agent worked on counts as one call. */
function spendingOf(session: Session, graph: OutlineGraph) {
  const costs = graph.tasks.map((task) => task.execution.costUsd).filter((cost) => cost !== undefined);
  const planning = session.file.planning_cost_usd;
  if (planning !== undefined) costs.push(planning);
  return {
    cost_usd: costs.reduce((sum: number, cost) => sum + (cost ?? 0), 0),
    agent_calls: costs.length,
    unknown_cost_calls: costs.filter((cost) => cost === null).length,
  };
}

export function statusJson(view: StatusView): object {
  const { session, graph } = view;
  return {
    ...session.file,
    archived: session.isArchived,
    running: view.running ?? null,
    tasks: countTasks(graph),
    cost: spendingOf(session, graph),
    ready: readyTasks(graph, overRun(view)).map((task) => task.id),
    tree: graph.tasks
      .filter((task) => task.parent === undefined || !graph.byId.has(task.parent))
      .map((task) => ({
        ...taskJson(task, graph),
        subtasks: (graph.children.get(task.id) ?? []).map((child) => taskJson(child, graph)),
      })),
  };
}

export function taskJson(task: TaskOutline, graph: OutlineGraph): object {
  return {
    id: task.id,
    title: task.title,
    status: statusOf(graph, task.id),
    type: task.type,
    agent: task.agent,
    depends_on: task.dependsOn,
    waits_for: isLeaf(graph, task.id) && task.status !== 'completed' ? openDependencies(graph, task) : [],
    ...(task.execution.lastError === undefined ? {} : { last_error: task.execution.lastError }),
  };
}
