import type { JsonObject } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { listSessions } from '../../operations/sessions/list-sessions.ts';
import { taskSummary } from '../../operations/sessions/listed-task.ts';
import { createTask } from '../../operations/sessions/tasks/create-tasks.ts';
import { type GetTask, getTask } from '../../operations/sessions/tasks/get-task.ts';
import { listTasks } from '../../operations/sessions/tasks/list-tasks.ts';
import { updateTask } from '../../operations/sessions/tasks/update-task.ts';
import { TASK_STATUSES, type TaskStatus } from '../../operations/sessions/vocabulary.ts';
import type { Site } from '../../operations/site.ts';
import { asJson, objectOf, type Tool, text, textIn, texts, textsIn } from './tool.ts';

const session = text('session to use (default: active)');
const task = text('task id: IMPL-1, IMPL-1.2, …');
const status: JsonObject = { type: 'string', enum: TASK_STATUSES, description: 'status of the task' };

export const TASK_TOOLS: readonly Tool[] = [
  {
    name: 'task_list',
    description: 'List the tasks of a session, with the tasks each is waiting for.',
    input: objectOf({
      session,
      status,
      ready: { type: 'boolean', description: 'only tasks that can be worked on now' },
    }),
    readOnly: true,
    run(site, given) {
      const listed = listTasks(site, {
        session: textIn(given, 'session'),
        status: textIn(given, 'status') as TaskStatus | undefined,
        ready: given['ready'] === true,
      });
      return listed.type === 'ok' ? ok({ tasks: listed.value.tasks.map(taskSummary) }) : listed;
    },
  },
  {
    name: 'task_get',
    description: 'Get the full document of a task: requirements, acceptance criteria, context, analysis.',
    input: objectOf({ session, task }, ['task']),
    readOnly: true,
    run: (site, given) =>
      taskData(site, { session: textIn(given, 'session'), task: textIn(given, 'task') ?? '' }),
  },
  {
    name: 'session_list',
    description: 'List the sessions of this folder, with how many of their tasks are done.',
    input: objectOf({}),
    readOnly: true,
    run(site) {
      const listed = listSessions(site);
      return listed.type === 'ok' ? ok(asJson(listed.value)) : listed;
    },
  },
  {
    name: 'task_create',
    description: 'Add a task to a session.',
    input: objectOf(
      {
        session,
        title: text('title of the task'),
        parent: text('create it as a subtask of this task'),
        depends_on: texts('ids of the tasks it waits for'),
        requirements: texts('what it must do'),
        acceptance: texts('acceptance criteria; `command: …` is run as a check'),
        focus: texts('folders and files to work on'),
      },
      ['title'],
    ),
    async run(site, given) {
      const created = await createTask(site, {
        session: textIn(given, 'session'),
        title: textIn(given, 'title') ?? '',
        parent: textIn(given, 'parent'),
        dependsOn: textsIn(given, 'depends_on'),
        requirements: textsIn(given, 'requirements'),
        acceptance: textsIn(given, 'acceptance'),
        focus: textsIn(given, 'focus'),
      });
      if (created.type === 'error') return created;
      const [first] = created.value.tasks;
      return ok(first?.document ?? {});
    },
  },
  {
    name: 'task_update',
    description: 'Change the status, title or lists of a task. A list replaces the existing one.',
    input: objectOf(
      {
        session,
        task,
        status,
        title: text('title of the task'),
        depends_on: texts('ids of the tasks it waits for'),
        requirements: texts('what it must do'),
        acceptance: texts('acceptance criteria; `command: …` is run as a check'),
        focus: texts('folders and files to work on'),
      },
      ['task'],
    ),
    async run(site, given) {
      const updated = await updateTask(site, {
        session: textIn(given, 'session'),
        task: textIn(given, 'task') ?? '',
        status: textIn(given, 'status') as TaskStatus | undefined,
        title: textIn(given, 'title'),
        dependsOn: textsIn(given, 'depends_on'),
        requirements: textsIn(given, 'requirements'),
        acceptance: textsIn(given, 'acceptance'),
        focus: textsIn(given, 'focus'),
      });
      return updated.type === 'ok' ? ok(updated.value.document) : updated;
    },
  },
];

/** The full document of a task. */
export function taskData(site: Site, asked: GetTask): Result<JsonObject, Problem> {
  const found = getTask(site, asked);
  return found.type === 'ok' ? ok(found.value.document) : found;
}
