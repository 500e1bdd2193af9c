import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import type { TaskStatus } from '../../session/document/task.ts';
import { runningProcess } from '../../session/live-run.ts';
import type { Session } from '../../session/sessions.ts';
import { isLeaf, openDependencies, readyTasks, statusOf } from '../../session/task-graph.ts';
import { loadOutline } from '../../session/tasks.ts';
import type { CliContext } from '../context.ts';
import { taskJson } from './render-status.ts';

export interface ListFlags {
  readonly status?: TaskStatus;
  readonly ready?: boolean;
  readonly json?: boolean;
}

export function listTasks(context: CliContext, session: Session, flags: ListFlags): void {
  const graph = loadOutline(session);
  const isRunning = runningProcess(context.workspace, session.file) !== undefined;
  const overRun = isRunning ? undefined : session.file.run_id;
  const shown = (flags.ready === true ? readyTasks(graph, overRun) : graph.tasks).filter(
    (task) => flags.status === undefined || statusOf(graph, task.id) === flags.status,
  );
  if (flags.json === true) {
    context.out(
      `${JSON.stringify(
        shown.map((task) => taskJson(task, graph)),
        null,
        2,
      )}\n`,
    );
    return;
  }
  if (shown.length === 0) {
    context.err(graph.tasks.length === 0 ? 'there is no task yet\n' : 'no task fits\n');
    return;
  }
  context.out(
    renderTable(
      [{ title: 'TASK' }, { title: 'STATUS' }, { title: 'TITLE' }, { title: 'WAITS FOR' }],
      shown.map((task) => [
        task.id,
        statusOf(graph, task.id) ?? task.status,
        printableLine(task.title),
        isLeaf(graph, task.id) && task.status !== 'completed' ? openDependencies(graph, task).join(', ') : '',
      ]),
    ),
  );
}
