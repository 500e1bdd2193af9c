import type { JsonObject, JsonValue } from '../../model/json.ts';
import { ok } from '../../model/result.ts';
import { TASK_STATUSES } from '../../session/document/task.ts';
import type { CliContext } from '../context.ts';
import { callCommand, callForJson } from './call-command.ts';
import { objectOf, type Tool, type ToolAnswer, text, textIn, texts, textsIn } from './tool.ts';

const session = text('another session than the active one');
const task = text('its id: IMPL-1, IMPL-1.2, …');
const status: JsonObject = { type: 'string', enum: TASK_STATUSES, description: 'how far it is' };

export const TASK_TOOLS: readonly Tool[] = [
  {
    name: 'task_list',
    description: 'The tasks of the active session, with what each of them waits for.',
    input: objectOf({
      session,
      status,
      ready: { type: 'boolean', description: 'only those that can be worked on now' },
    }),
    readOnly: true,
    run: (context, given) =>
      callForJson(context, {
        name: 'task',
        sub: 'list',
        options: {
          session: textIn(given, 'session'),
          status: textIn(given, 'status'),
          ready: given['ready'] === true,
        },
      }),
  },
  {
    name: 'task_get',
    description: 'The whole document of one task: requirements, acceptance, context, analysis.',
    input: objectOf({ session, task }, ['task']),
    readOnly: true,
    run: getTask,
  },
  {
    name: 'task_update',
    description: 'Change a task: its status, its title, or its lists, each of which replaces the one before.',
    input: objectOf(
      {
        session,
        task,
        status,
        title: text('what is to be done'),
        depends_on: texts('ids of the tasks it waits for'),
        requirements: texts('what it must do'),
        acceptance: texts('when it counts as done; `command: …` is run'),
        focus: texts('folders and files it works on'),
      },
      ['task'],
    ),
    async run(context, given) {
      const updated = await callCommand(context, {
        name: 'task',
        sub: 'update',
        options: {
          session: textIn(given, 'session'),
          status: textIn(given, 'status'),
          title: textIn(given, 'title'),
          'depends-on': textsIn(given, 'depends_on'),
          requirement: textsIn(given, 'requirements'),
          acceptance: textsIn(given, 'acceptance'),
          focus: textsIn(given, 'focus'),
        },
        words: [textIn(given, 'task') ?? ''],
      });
      return updated.type === 'error' ? updated : getTask(context, given);
    },
  },
];

async function getTask(context: CliContext, given: JsonObject): Promise<ToolAnswer> {
  const shown = await callCommand(context, {
    name: 'task',
    sub: 'show',
    options: { session: textIn(given, 'session') },
    words: [textIn(given, 'task') ?? ''],
  });
  return shown.type === 'error' ? shown : ok(JSON.parse(shown.value.out) as JsonValue);
}
