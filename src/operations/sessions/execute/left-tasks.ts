import { ok, type Result } from '../../../model/result.ts';
import { parentIdOf, type TaskId } from '../../../session/ids.ts';
import { loadOutline } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { readLastRun } from '../last-run.ts';
import { type ListedTask, listedTask } from '../listed-task.ts';
import { openSession } from '../open-session.ts';

export interface LeftTasks {
  /** Not completed, in id order; containers are left out. */
  readonly tasks: readonly ListedTask[];
  readonly hasBlocked: boolean;
}

/** The tasks that an execution of these, or of all, did not complete. */
export function leftTasks(
  site: Pick<Site, 'workspace'>,
  asked: { readonly session?: string | undefined; readonly tasks?: readonly string[] | undefined },
): Result<LeftTasks, Problem> {
  const session = openSession(site, asked.session);
  if (session.type === 'error') return session;
  const { tasks: names = [] } = asked;
  const isMeant = (id: TaskId): boolean =>
    names.length === 0 || names.includes(id) || names.includes(parentIdOf(id) ?? id);
  const { graph } = loadOutline(session.value);
  const last = readLastRun(site, session.value.file);
  const tasks = graph.tasks
    .map((task) => listedTask(graph, task, last))
    .filter(({ id, isContainer, status }) => !isContainer && status !== 'completed' && isMeant(id));
  return ok({ tasks, hasBlocked: tasks.some(({ status }) => status === 'blocked') });
}
