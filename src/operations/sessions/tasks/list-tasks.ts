import { ok, type Result } from '../../../model/result.ts';
import type { TaskStatus } from '../../../session/document/task.ts';
import { statusOf } from '../../../session/document/task-graph.ts';
import { loadOutline } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { NO_RUN, readLastRun, readyNow } from '../last-run.ts';
import { type ListedTask, listedTask } from '../listed-task.ts';
import { openSession } from '../open-session.ts';

export interface ListTasks {
  /** Default: the active session. */
  readonly session?: string | undefined;
  readonly status?: TaskStatus | undefined;
  /** Only tasks that can be executed now. */
  readonly ready?: boolean | undefined;
}

export interface TaskList {
  /** In id order. */
  readonly tasks: readonly ListedTask[];
  /** Files of `.task` that cannot be read as tasks. */
  readonly stray: readonly string[];
  /** The session has no task at all. */
  readonly isEmpty: boolean;
}

export function listTasks(site: Pick<Site, 'workspace'>, asked: ListTasks): Result<TaskList, Problem> {
  const session = openSession(site, asked.session);
  if (session.type === 'error') return session;
  const { file } = session.value;
  const { graph, stray } = loadOutline(session.value);
  const last = graph.tasks.some(({ status }) => status === 'active') ? readLastRun(site, file) : NO_RUN;
  const found = asked.ready === true ? readyNow(graph, { file, last }) : graph.tasks;
  return ok({
    tasks: found
      .filter(({ id }) => asked.status === undefined || statusOf(graph, id) === asked.status)
      .map((task) => listedTask(graph, task, last)),
    stray,
    isEmpty: graph.tasks.length === 0,
  });
}
