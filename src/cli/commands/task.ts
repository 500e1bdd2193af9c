import { type Command, Option } from 'commander';
import { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from '../../session/document/task.ts';
import type { Session } from '../../session/sessions.ts';
import { createTasks, findTask, loadGraph, updateTask } from '../../session/tasks.ts';
import type { CliContext } from '../context.ts';
import { addOutputOptions, collect } from '../run-options.ts';
import { addAgentOptions } from '../session/agent-options.ts';
import type { PlanFlags } from '../session/plan-session.ts';
import { sessionOrTell, tell, tellKept, valueOrTell } from '../session/tell.ts';
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
    below(usage, summary, example).option('--session <id>', 'another session than the active one');

  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate task create --title "Add login" --focus src/auth --acceptance "command: npm test"\n  orchestrate task list --ready',
  );
  withFields(
    add('create', 'make a task', 'orchestrate task create --title "Add login" --depends-on IMPL-1')
      .requiredOption('--title <text>', 'what is to be done')
      .option('--parent <task>', 'make it a subtask of this one')
      .option('--json', 'print the task as JSON'),
  ).action((flags: Fields) => create(context, flags));
  add('list', 'list the tasks', 'orchestrate task list --ready')
    .addOption(new Option('--status <status>', 'only those').choices(TASK_STATUSES))
    .option('--ready', 'only those that can be executed now')
    .option('--json', 'print them as JSON')
    .action((flags: Common & { readonly status?: TaskStatus; readonly ready?: boolean }) =>
      list(context, flags),
    );
  add('show <task>', 'print the document of a task', 'orchestrate task show IMPL-1.2').action(
    (id: string, flags: Common) => show(context, id, flags),
  );
  withFields(
    add(
      'update <task>',
      'change a task; a list replaces the one before',
      'orchestrate task update IMPL-2 --status pending',
    )
      .addOption(new Option('--status <status>', 'not of a container').choices(TASK_STATUSES))
      .option('--title <text>', 'what is to be done'),
  ).action((id: string, flags: Fields) => update(context, id, flags));
  addOutputOptions(
    addAgentOptions(
      add(
        'decompose <task>',
        'divide a task into subtasks',
        'orchestrate task decompose IMPL-1 --into "Parse the token" "Check the signature"',
      ).option('--into <titles...>', 'the titles of the subtasks; without it an agent proposes them'),
    ),
  ).action((id: string, flags: PlanFlags & { readonly into?: readonly string[] }) =>
    decompose(context, id, flags),
  );
  add('validate', 'check all tasks of a session', 'orchestrate task validate')
    .option('--json', 'print the findings as JSON')
    .action(async (flags: Common) => {
      const { validate } = await import('../session/validate.ts');
      validate(context, flags);
    });
}

function withFields(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'what kind of work it is').choices(TASK_TYPES))
    .option('--agent <name>', 'the role that works on it; by type and title where absent')
    .option('--depends-on <task>', 'completed before; repeatable', collect)
    .option('--focus <path>', 'a folder or file it works on; repeatable', collect)
    .option('--requirement <text>', 'repeatable', collect)
    .option('--acceptance <text>', 'when it counts as done, `command: …` is run; repeatable', collect);
}

/** Options that were not given hide nothing. */
function given(flags: Fields) {
  const { title, type, agent, status, dependsOn, focus } = flags;
  return {
    ...(title === undefined ? {} : { title }),
    ...(type === undefined ? {} : { type }),
    ...(agent === undefined ? {} : { agent }),
    ...(status === undefined ? {} : { status }),
    ...(dependsOn === undefined ? {} : { dependsOn: dependsOn.flatMap((each) => each.split(',')) }),
    ...(focus === undefined ? {} : { focus }),
    ...(flags.requirement === undefined ? {} : { requirements: flags.requirement }),
    ...(flags.acceptance === undefined ? {} : { acceptance: flags.acceptance }),
  };
}

async function create(context: CliContext, flags: Fields): Promise<void> {
  const session = sessionOrTell(context, flags.session);
  if (session === undefined) return;
  const problem = await focusProblem(flags.focus);
  if (problem !== undefined) return tell(context, { type: 'refused', message: problem });
  const { parent, title = '' } = flags;
  const wanted = { ...given(flags), title, ...(parent === undefined ? {} : { parent }) };
  const made = valueOrTell(
    context,
    await vouching(context, session, { flags, change: () => createTasks(session, [wanted]) }),
  );
  if (made === undefined) return;
  tellKept(context, session, made.kept);
  for (const task of made.tasks)
    context.out(flags.json === true ? `${JSON.stringify(task.source, null, 2)}\n` : `${task.id}\n`);
}

async function update(context: CliContext, id: string, flags: Fields): Promise<void> {
  const session = sessionOrTell(context, flags.session);
  if (session === undefined) return;
  const change = given(flags);
  if (Object.keys(change).length === 0)
    return tell(context, { type: 'refused', message: 'nothing to change', help: 'give at least one option' });
  const problem = await focusProblem(flags.focus);
  if (problem !== undefined) return tell(context, { type: 'refused', message: problem });
  const updated = valueOrTell(
    context,
    await vouching(context, session, { flags, change: () => updateTask(session, id, change) }),
  );
  if (updated === undefined) return;
  tellKept(context, session, updated.kept);
  context.err(`\`${updated.task.id}\` is changed\n`);
}

/** Only an acceptance that is run is something to be trusted. */
async function vouching<Value>(
  context: CliContext,
  session: Session,
  { flags, change }: { readonly flags: Fields; change(): Promise<Value> },
): Promise<Value> {
  if (flags.acceptance === undefined) return change();
  const { vouchFor } = await import('../../operations/sessions/trust-tasks.ts');
  const { value, problem } = await vouchFor(siteOf(context), session, change);
  if (problem !== undefined) context.err(`warning: you will be asked about this setting: ${problem}\n`);
  return value;
}

async function focusProblem(paths: readonly string[] | undefined): Promise<string | undefined> {
  if (paths === undefined) return undefined;
  const { whyNotConcrete } = await import('../../session/focus.ts');
  for (const path of paths) {
    const reason = whyNotConcrete(path);
    if (reason !== undefined) return `the path \`${path}\` ${reason}`;
  }
  return undefined;
}

async function list(
  context: CliContext,
  flags: Common & { readonly status?: TaskStatus; readonly ready?: boolean },
): Promise<void> {
  const session = sessionOrTell(context, flags.session);
  if (session === undefined) return;
  const { listTasks } = await import('../session/list-tasks.ts');
  listTasks(context, session, flags);
}

function show(context: CliContext, id: string, flags: Common): void {
  const session = sessionOrTell(context, flags.session);
  if (session === undefined) return;
  const task = valueOrTell(context, findTask(loadGraph(session), id));
  if (task !== undefined) context.out(`${JSON.stringify(task.source, null, 2)}\n`);
}

async function decompose(
  context: CliContext,
  id: string,
  flags: PlanFlags & { readonly into?: readonly string[] },
): Promise<void> {
  const session = sessionOrTell(context, flags.session);
  if (session === undefined) return;
  if (flags.into === undefined) {
    const { decomposeByAgent } = await import('../session/decompose.ts');
    return decomposeByAgent(context, session, { id, flags });
  }
  const made = valueOrTell(
    context,
    await createTasks(
      session,
      flags.into.map((title) => ({ title, parent: id })),
    ),
  );
  if (made === undefined) return;
  tellKept(context, session, made.kept);
  context.out(made.tasks.map((task) => `${task.id}\n`).join(''));
}
