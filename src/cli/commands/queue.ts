import type { Command } from 'commander';
import type { Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { findQueue } from '../../operations/queues/find-queue.ts';
import { finishTask } from '../../operations/queues/finish-task.ts';
import { listQueue } from '../../operations/queues/list-queue.ts';
import { putInQueue, unreadable } from '../../operations/queues/put-in-queue.ts';
import { takeFromQueue } from '../../operations/queues/take-from-queue.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { path, printedPath } from '../path-argument.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
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
      .option('--workflow <file>', 'use the folders and file extension of this workflow', path)
      .option('--json', 'print the result as JSON');

  command.addHelpText(
    'after',
    '\nExample:\n  echo "fix the login page" | orchestrate queue put engineer\n  task=$(orchestrate queue take engineer) && orchestrate queue done "$task"',
  );
  add(
    'put <agent>',
    "add a task to the end of an agent's queue",
    'orchestrate queue put engineer --file task.md',
  )
    .option('--file <file>', 'file that contains the task (default: standard input)', path)
    .action(async (agent: string, flags: QueueFlags) => {
      context.exitCode = await put(context, agent, flags);
    });
  add('list [agent]', 'list waiting tasks', 'orchestrate queue list engineer')
    .option('--taken', 'list tasks that were taken and not finished yet')
    .action((agent: string | undefined, flags: QueueFlags) => {
      context.exitCode = list(context, agent, flags);
    });
  add('take <agent>', 'take the oldest task of an agent', 'orchestrate queue take engineer').action(
    (agent: string, flags: QueueFlags) => {
      context.exitCode = take(context, agent, flags);
    },
  );
  add('done', 'move a task to the processed folder', 'orchestrate queue done inbox/engineer/fix.task')
    .argument('<task>', 'path of the task, as printed by `take`', printedPath)
    .action((task: string, flags: QueueFlags) => {
      context.exitCode = say(context, finish(context, task, { ...flags, as: 'done' }), flags);
    });
  add('fail', 'move a task to the failed folder', 'orchestrate queue fail inbox/engineer/fix.task')
    .argument('<task>', 'path of the task, as printed by `take`', printedPath)
    .action((task: string, flags: QueueFlags) => {
      context.exitCode = say(context, finish(context, task, { ...flags, as: 'failed' }), flags);
    });
}

async function put(context: CliContext, agent: string, flags: QueueFlags): Promise<number> {
  const { file, workflow } = flags;
  const site = siteOf(context);
  if (file !== undefined && file !== '-')
    return say(context, putInQueue(site, { workflow, agent, contents: { file } }), flags);
  const queue = findQueue(site, flags);
  if (queue.type === 'error') return refuse(context, queue.error);
  if (file === undefined && process.stdin.isTTY) writeTalk(Buffer.from('type the task, then press Ctrl-D\n'));
  const { readStandardInput } = await import('../../host/standard-input.ts');
  const text = await readStandardInput();
  if (text.type === 'error') return refuse(context, unreadable('-', text.error));
  return say(context, putInQueue(site, { workflow, agent, contents: { text: text.value } }), flags);
}

function take(context: CliContext, agent: string, flags: QueueFlags): number {
  const taken = takeFromQueue(siteOf(context), { workflow: flags.workflow, agent });
  if (taken.type === 'error') return refuse(context, taken.error);
  if (taken.value !== undefined) return print(context, taken.value, flags);
  context.err(`no task waiting for \`${agent}\`\n`);
  return EXIT.failed;
}

function finish(
  context: CliContext,
  task: string,
  { workflow, as }: QueueFlags & { readonly as: 'done' | 'failed' },
): Result<Placed, Problem> {
  return finishTask(siteOf(context), { workflow, task, as });
}

interface Placed {
  readonly path: string;
}

function say(context: CliContext, result: Result<Placed, Problem>, flags: QueueFlags): number {
  return result.type === 'ok' ? print(context, result.value, flags) : refuse(context, result.error);
}

/** Prints the path of the task. */
function print(context: CliContext, task: Placed, { json }: QueueFlags): number {
  context.out(json === true ? `${JSON.stringify(task)}\n` : `${task.path}\n`);
  return EXIT.done;
}

function list(context: CliContext, agent: string | undefined, flags: QueueFlags): number {
  const { workflow, taken } = flags;
  const tasks = listQueue(siteOf(context), { workflow, agent, taken });
  if (tasks.type === 'error') return refuse(context, tasks.error);
  if (flags.json === true) context.out(`${JSON.stringify(tasks.value, null, 2)}\n`);
  else if (tasks.value.length === 0) context.err(taken === true ? 'no task taken\n' : 'no task waiting\n');
  else context.out(tasks.value.map((task) => `${task.path}\n`).join(''));
  return EXIT.done;
}
