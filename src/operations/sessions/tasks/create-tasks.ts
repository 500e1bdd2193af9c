import { defined } from '../../../model/defined.ts';
import type { KeptFile } from '../../../model/kept-file.ts';
import { ok, type Result } from '../../../model/result.ts';
import type { TaskType } from '../../../session/document/task.ts';
import { createTasks, type MadeTasks, type NewTask } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { keptFiles } from '../kept-files.ts';
import { openSession } from '../open-session.ts';
import { checkFocus } from './check-focus.ts';
import type { TaskDocument } from './get-task.ts';
import { withOwnAcceptance } from './own-acceptance.ts';

export interface CreateTask {
  /** Default: the active session. */
  readonly session?: string | undefined;
  readonly title: string;
  /** Create it as a subtask of this task. */
  readonly parent?: string | undefined;
  readonly type?: TaskType | undefined;
  /** Default: chosen by type and title. */
  readonly agent?: string | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly focus?: readonly string[] | undefined;
  readonly requirements?: readonly string[] | undefined;
  readonly acceptance?: readonly string[] | undefined;
}

export interface TasksCreated {
  readonly tasks: readonly TaskDocument[];
  readonly kept: readonly KeptFile[];
  /** Why the user will still be asked to trust the acceptance commands. */
  readonly trustProblem?: string;
}

export async function createTask(site: Site, asked: CreateTask): Promise<Result<TasksCreated, Problem>> {
  const opened = openSession(site, asked.session);
  if (opened.type === 'error') return opened;
  const session = opened.value;
  const focus = checkFocus(asked.focus);
  if (focus.type === 'error') return focus;
  const { value, problem } = await withOwnAcceptance(site, session, {
    acceptance: asked.acceptance,
    change: () => createTasks(session, [fieldsOf(asked)]),
  });
  const made = value;
  if (made.type === 'error') return made;
  return ok({
    tasks: documentsOf(made.value),
    kept: keptFiles(session, made.value.kept),
    ...defined({ trustProblem: problem }),
  });
}

export interface DivideTask {
  readonly session?: string | undefined;
  readonly task: string;
  /** Titles of the subtasks. */
  readonly into: readonly string[];
}

export async function divideTask(
  site: Pick<Site, 'workspace'>,
  { session: name, task, into }: DivideTask,
): Promise<Result<TasksCreated, Problem>> {
  const session = openSession(site, name);
  if (session.type === 'error') return session;
  const wanted = into.map((title) => ({ title, parent: task }));
  const made = await createTasks(session.value, wanted);
  if (made.type === 'error') return made;
  return ok({ tasks: documentsOf(made.value), kept: keptFiles(session.value, made.value.kept) });
}

function fieldsOf({ session: _session, ...fields }: CreateTask): NewTask {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), title: fields.title };
}

function documentsOf({ tasks }: MadeTasks): readonly TaskDocument[] {
  return tasks.map(({ id, source }) => ({ id, document: source }));
}
