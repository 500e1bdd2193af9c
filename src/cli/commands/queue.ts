import fs from 'node:fs';
import type { Command } from 'commander';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { compactTimestamp } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { doneTask, failTask } from '../../queue/finish-task.ts';
import { listAgents, listTaken, listTasks } from '../../queue/list-tasks.ts';
import { putTask } from '../../queue/put-task.ts';
import { QUEUE_DEFAULTS, type Queue, type Task } from '../../queue/queue.ts';
import { takeTask } from '../../queue/take-task.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import { errnoOf } from '../../store/errno.ts';
import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { writeTalk } from '../standard-output.ts';
import { subcommandsOf } from '../subcommands.ts';

interface QueueFlags {
  readonly workflow?: string;
  readonly json?: boolean;
  readonly file?: string;
  readonly taken?: boolean;
}

export function define(command: Command, context: CliContext): void {
  const below = subcommandsOf(command);
  const add: typeof below = (usage, summary, example) =>
    below(usage, summary, example)
      .option('--workflow <file>', 'take folders and extension from this workflow')
      .option('--json', 'print the result as JSON');

  command.addHelpText(
    'after',
    '\nExample:\n  echo "fix the login page" | orchestrate queue put engineer\n  task=$(orchestrate queue take engineer) && orchestrate queue done "$task"',
  );
  add(
    'put <agent>',
    'put a task at the end of the queue of an agent',
    'orchestrate queue put engineer --file task.md',
  )
    .option('--file <file>', 'the task; `-` or absent: standard input')
    .action((agent: string, flags: QueueFlags) =>
      withQueue(context, flags, async (queue) => {
        const contents = await taskContents(flags.file);
        return contents.type === 'error' ? contents : putTask(queue, agent, contents.value);
      }),
    );
  add('list [agent]', 'list the tasks that wait', 'orchestrate queue list engineer')
    .option('--taken', 'list those that were taken and neither done nor failed since')
    .action((agent: string | undefined, flags: QueueFlags) => list(context, agent, flags));
  add('take <agent>', 'claim the oldest task of an agent', 'orchestrate queue take engineer').action(
    (agent: string, flags: QueueFlags) =>
      withQueue(context, { ...flags, nothing: `no task waits for \`${agent}\`` }, (queue) =>
        takeTask(queue, agent),
      ),
  );
  add(
    'done <task>',
    'move a task to the processed ones',
    'orchestrate queue done inbox/engineer/fix.task',
  ).action((task: string, flags: QueueFlags) =>
    withQueue(context, flags, (queue) => moved(doneTask(queue, task, compactTimestamp(new Date())))),
  );
  add(
    'fail <task>',
    'move a task to the failed ones',
    'orchestrate queue fail inbox/engineer/fix.task',
  ).action((task: string, flags: QueueFlags) =>
    withQueue(context, flags, (queue) => moved(failTask(queue, task, compactTimestamp(new Date())))),
  );
}

type Moved = { readonly path: string };

type Awaitable<Value> = Value | Promise<Value>;

/** Prints where the task stands afterwards. */
async function withQueue(
  context: CliContext,
  flags: QueueFlags & { readonly nothing?: string },
  action: (queue: Queue) => Awaitable<Result<Task | Moved | undefined, Failure>>,
): Promise<void> {
  const queue = queueOrTell(context, flags.workflow);
  if (queue === undefined) return;
  const result = await action(queue);
  if (result.type === 'error') {
    context.err(`error: ${describeFailure(result.error)}\n`);
    context.exitCode = result.error.type === 'file' ? EXIT.failed : EXIT.usage;
    return;
  }
  if (result.value === undefined) {
    context.err(`${flags.nothing ?? ''}\n`);
    context.exitCode = EXIT.failed;
    return;
  }
  context.out(flags.json === true ? `${JSON.stringify(result.value)}\n` : `${result.value.path}\n`);
}

function list(context: CliContext, agent: string | undefined, flags: QueueFlags): void {
  const queue = queueOrTell(context, flags.workflow);
  if (queue === undefined) return;
  const tasks = tasksOf(queue, agent, flags);
  if (tasks.type === 'error') {
    context.err(`error: ${describeFailure(tasks.error)}\n`);
    context.exitCode = EXIT.usage;
  } else if (flags.json === true) context.out(`${JSON.stringify(tasks.value, null, 2)}\n`);
  else if (tasks.value.length === 0)
    context.err(flags.taken === true ? 'no task is taken\n' : 'no task waits\n');
  else context.out(tasks.value.map((task) => `${task.path}\n`).join(''));
}

function tasksOf(
  queue: Queue,
  agent: string | undefined,
  { taken }: QueueFlags,
): Result<readonly Task[], Failure> {
  const agents = agent === undefined ? listAgents(queue) : ok([agent]);
  if (agents.type === 'error') return agents;
  const tasks: Task[] = [];
  for (const name of agents.value) {
    const listed = (taken === true ? listTaken : listTasks)(queue, name);
    if (listed.type === 'error') return listed;
    for (const task of listed.value) tasks.push(task);
  }
  return ok(tasks);
}

function queueOrTell(context: CliContext, workflow: string | undefined): Queue | undefined {
  const { workspace } = context;
  if (workflow === undefined) return { workspace, ...QUEUE_DEFAULTS };
  const loaded = loadWorkflow(workspace, workflow);
  if (loaded.type === 'error') {
    context.err(renderDiagnostics(loaded.error, { color: context.color.stderr }));
    context.exitCode = EXIT.usage;
    return undefined;
  }
  const { inboxDir, processedDir, failedDir, taskExtension } = loaded.value.definition.queue;
  return { workspace, inboxDir, processedDir, failedDir, extension: taskExtension };
}

async function taskContents(file: string | undefined): Promise<Result<Buffer, Failure>> {
  const isStdin = file === undefined || file === '-';
  if (file === undefined && process.stdin.isTTY)
    writeTalk(Buffer.from('write the task, then end it with Ctrl-D\n'));
  try {
    return ok(isStdin ? Buffer.concat(await process.stdin.toArray()) : fs.readFileSync(file));
  } catch (cause) {
    return error({ type: 'file', operation: 'read', path: file ?? '-', code: errnoOf(cause) });
  }
}

function moved(result: Result<string, Failure>): Result<Moved, Failure> {
  return result.type === 'error' ? result : ok({ path: result.value });
}
