import { error, ok, type Result } from '../../../model/result.ts';
import type { Task } from '../../../session/document/task.ts';
import { isLeaf, openDependencies, type TaskGraph, waitsFor } from '../../../session/document/task-graph.ts';
import { openLeaves, openTasks } from '../../../session/execute/plan-execution.ts';
import { invalid, refused, type SessionProblem } from '../../../session/problem.ts';
import { findTask } from '../../../session/sessions/tasks.ts';

/** The named tasks, or all open ones. Naming a blocked task retries it. */
export function selectTasks(
  graph: TaskGraph,
  names: readonly string[],
): Result<readonly Task[], SessionProblem> {
  if (names.length === 0) return ok(openTasks(graph));
  const chosen: Task[] = [];
  for (const name of names) {
    const found = findTask(graph, name);
    if (found.type === 'error') return found;
    const { id, status } = found.value;
    if (!isLeaf(graph, id)) {
      const children = (graph.children.get(id) ?? []).map((child) => child.id);
      return error(
        invalid(
          `\`${id}\` is a container and cannot be executed`,
          `execute its subtasks: \`orchestrate execute ${children.join(' ')}\``,
        ),
      );
    }
    if (status !== 'completed') chosen.push(found.value);
  }
  const ids = new Set(chosen.map((task) => task.id));
  for (const task of chosen) {
    const open = waitsFor(graph, task)
      .flatMap((id) => openLeaves(graph, id))
      .filter((id) => !ids.has(id));
    if (open.length > 0)
      return error(
        refused(
          `\`${task.id}\` waits for ${open.map((id) => `\`${id}\``).join(', ')}`,
          `execute them together: \`orchestrate execute ${[...open, ...ids].join(' ')}\``,
        ),
      );
  }
  return ok(graph.tasks.filter((task) => ids.has(task.id)));
}

/** Why nothing can be executed, and what to do about it. */
export function whyNothing(graph: TaskGraph): SessionProblem | undefined {
  const open = graph.tasks.filter((task) => isLeaf(graph, task.id) && task.status !== 'completed');
  if (open.length === 0) return undefined;
  const blocked = open.filter((task) => task.status === 'blocked');
  const [first] = blocked;
  if (first === undefined) {
    const [waiting] = open;
    const waits = waiting === undefined ? [] : openDependencies(graph, waiting);
    return refused(
      `no task is ready: \`${waiting?.id}\` waits for ${waits.map((id) => `\`${id}\``).join(', ')}`,
    );
  }
  return refused(
    `no task is ready: ${blocked.map((task) => `\`${task.id}\``).join(', ')} ${blocked.length === 1 ? 'is' : 'are'} blocked`,
    `retry it with \`orchestrate execute ${first.id}\`, or mark it done with \`orchestrate task update ${first.id} --status completed\``,
  );
}
