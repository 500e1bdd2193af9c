import { Argument, type Command, Option } from 'commander';
import {
  TASK_STATUSES,
  TASK_TYPES,
  type TaskStatus,
  type TaskType,
} from '../../operations/sessions/vocabulary.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { path, paths } from '../path-argument.ts';
import { refuse } from '../refuse.ts';
import { addOutputOptions, collect } from '../run-options.ts';
import { addAgentOptions } from '../session/agent-options.ts';
import type { DoneFlags } from '../session/close-task.ts';
import type { ListFlags } from '../session/list-tasks.ts';
import type { PlanFlags } from '../session/plan-session.ts';
import { sayChanged } from '../session/say-changed.ts';
import { siteOf } from '../site.ts';
import { subcommandsOf } from '../subcommands.ts';

interface Common {
  readonly session?: string;
  readonly json?: boolean;
}

interface Fields extends Common {
  readonly title?: string;
  readonly type?: TaskType;
  readonly agent?: string;
  readonly parent?: string;
  readonly status?: TaskStatus;
  readonly dependsOn?: readonly string[];
  readonly focus?: readonly string[];
  readonly requirement?: readonly string[];
  readonly acceptance?: readonly string[];
}

export function define(command: Command, context: CliContext): void {
  const below = subcommandsOf(command);
  const add: typeof below = (usage, summary, example) =>
    below(usage, summary, example).option('--session <id>', 'session to use (default: active)');

  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate task create --title "Add login" --focus src/auth --acceptance "command: npm test"\n  orchestrate task list --ready',
  );
  withFields(
    add('create', 'create a task', 'orchestrate task create --title "Add login" --depends-on IMPL-1')
      .requiredOption('--title <text>', 'title of the task')
      .option('--parent <task>', 'create it as a subtask of this task')
      .option('--json', 'print the task as JSON'),
  ).action(async (flags: Fields) => {
    context.exitCode = await create(context, flags);
  });
  add('list', 'list the tasks', 'orchestrate task list --ready')
    .addOption(new Option('--status <status>', 'only tasks with this status').choices(TASK_STATUSES))
    .option('--ready', 'only tasks that can be executed now')
    .option('--json', 'print as JSON')
    .action(async (flags: ListFlags) => {
      context.exitCode = await list(context, flags);
    });
  add('show <task>', 'print a task as JSON', 'orchestrate task show IMPL-1.2').action(
    async (id: string, flags: Common) => {
      context.exitCode = await show(context, id, flags);
    },
  );
  withFields(
    add(
      'update <task>',
      'change a task; lists replace the existing ones',
      'orchestrate task update IMPL-2 --status pending',
    )
      .addOption(
        new Option('--status <status>', 'new status (not for tasks with subtasks)').choices(TASK_STATUSES),
      )
      .option('--title <text>', 'title of the task'),
  ).action(async (id: string, flags: Fields) => {
    context.exitCode = await update(context, id, flags);
  });
  addOutputOptions(
    addAgentOptions(
      add(
        'decompose <task>',
        'split a task into subtasks',
        'orchestrate task decompose IMPL-1 --into "Parse the token" "Check the signature"',
      ).option('--into <titles...>', 'titles of the subtasks (default: an agent proposes them)'),
    ),
  ).action(async (id: string, flags: PlanFlags & { readonly into?: readonly string[] }) => {
    context.exitCode = await decompose(context, id, flags);
  });
  add(
    'done <task>',
    'complete a task by hand; its summary reaches the tasks that depend on it',
    'orchestrate task done IMPL-2 --file notes.md',
  )
    .option('--summary <text>', 'what was done (`-`: standard input)')
    .option('--file <file>', 'read the summary from this file', path)
    .action(async (id: string, flags: DoneFlags) => {
      const { taskDone } = await import('../session/close-task.ts');
      context.exitCode = await taskDone(context, id, flags);
    });
  add('reopen <task>', 'open a completed or blocked task again', 'orchestrate task reopen IMPL-2').action(
    async (id: string, flags: Common) => {
      const { taskReopen } = await import('../session/close-task.ts');
      context.exitCode = await taskReopen(context, id, flags);
    },
  );
  add('diff <task>', 'show what a task changed in its worktree', 'orchestrate task diff IMPL-2').action(
    async (id: string, flags: Common) => {
      const { taskDiff } = await import('../session/review-task.ts');
      context.exitCode = taskDiff(context, id, flags);
    },
  );
  add(
    'review <task>',
    'accept or reject the work of a task before it is merged',
    'orchestrate task review IMPL-2 accept',
  )
    .addArgument(new Argument('<choice>', 'your decision').choices(['accept', 'reject']))
    .option('--comment <text>', 'reason, kept with the task')
    .action(
      async (id: string, choice: 'accept' | 'reject', flags: Common & { readonly comment?: string }) => {
        const { taskReview } = await import('../session/review-task.ts');
        context.exitCode = taskReview(context, id, { ...flags, choice });
      },
    );
  add(
    'merge <task>',
    'merge the kept work of a task, after a conflict, a rejected review or a failure',
    'orchestrate task merge IMPL-2',
  ).action(async (id: string, flags: Common) => {
    const { taskMerge } = await import('../session/kept-work.ts');
    context.exitCode = await taskMerge(context, id, flags);
  });
  add(
    'discard <task>',
    'remove the kept work of a task: its branch and its worktree',
    'orchestrate task discard IMPL-2 --force',
  )
    .option('-f, --force', 'do not ask for confirmation')
    .action(async (id: string, flags: Common & { readonly force?: boolean }) => {
      const { taskDiscard } = await import('../session/kept-work.ts');
      context.exitCode = await taskDiscard(context, id, flags);
    });
  add('validate', 'validate all tasks of a session', 'orchestrate task validate')
    .option('--strict', 'treat warnings as errors')
    .option('--json', 'print the findings as JSON')
    .action(async (flags: Common & { readonly strict?: boolean }) => {
      const { validate } = await import('../session/validate.ts');
      context.exitCode = validate(context, flags);
    });
}

function withFields(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'kind of work').choices(TASK_TYPES))
    .option('--agent <name>', 'role that works on it (default: chosen by type and title)')
    .option('--depends-on <task>', 'task that must be completed first (repeatable)', collect)
    .option('--focus <path>', 'folder or file it works on (repeatable)', paths)
    .option('--requirement <text>', 'requirement (repeatable)', collect)
    .option(
      '--acceptance <text>',
      'acceptance criterion; `command: …` is run as a check (repeatable)',
      collect,
    );
}

function fieldsOf(flags: Fields) {
  const { session, title, type, agent, focus, acceptance } = flags;
  const dependsOn = flags.dependsOn?.flatMap((each) => each.split(','));
  return { session, title, type, agent, dependsOn, focus, requirements: flags.requirement, acceptance };
}

async function create(context: CliContext, flags: Fields): Promise<number> {
  const { createTask } = await import('../../operations/sessions/tasks/create-tasks.ts');
  const { parent, title = '' } = flags;
  const made = await createTask(siteOf(context), { ...fieldsOf(flags), title, parent });
  if (made.type === 'error') return refuse(context, made.error);
  sayChanged(context, made.value);
  for (const { id, document } of made.value.tasks)
    context.out(flags.json === true ? `${JSON.stringify(document, null, 2)}\n` : `${id}\n`);
  return EXIT.done;
}

async function update(context: CliContext, task: string, flags: Fields): Promise<number> {
  const { updateTask } = await import('../../operations/sessions/tasks/update-task.ts');
  const change = { ...fieldsOf(flags), task, status: flags.status };
  const updated = await updateTask(siteOf(context), change);
  if (updated.type === 'error') return refuse(context, updated.error);
  sayChanged(context, updated.value);
  context.err(`\`${updated.value.id}\` updated\n`);
  return EXIT.done;
}

async function list(context: CliContext, flags: ListFlags): Promise<number> {
  const { listTasks } = await import('../session/list-tasks.ts');
  return listTasks(context, flags);
}

async function show(context: CliContext, task: string, { session }: Common): Promise<number> {
  const { getTask } = await import('../../operations/sessions/tasks/get-task.ts');
  const got = getTask(siteOf(context), { session, task });
  if (got.type === 'error') return refuse(context, got.error);
  context.out(`${JSON.stringify(got.value.document, null, 2)}\n`);
  return EXIT.done;
}

async function decompose(
  context: CliContext,
  task: string,
  flags: PlanFlags & { readonly into?: readonly string[] },
): Promise<number> {
  const { session, into } = flags;
  if (into === undefined) {
    const { divideWithAgent } = await import('../session/plan-session.ts');
    return divideWithAgent(context, task, flags);
  }
  const { divideTask } = await import('../../operations/sessions/tasks/create-tasks.ts');
  const made = await divideTask(siteOf(context), { session, task, into });
  if (made.type === 'error') return refuse(context, made.error);
  sayChanged(context, made.value);
  context.out(made.value.tasks.map(({ id }) => `${id}\n`).join(''));
  return EXIT.done;
}
