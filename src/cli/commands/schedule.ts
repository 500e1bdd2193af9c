import type { Command } from 'commander';
import type { Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { type ListedSchedule, listSchedules, nextStarts } from '../../operations/schedules/list-schedules.ts';
import { pauseSchedule } from '../../operations/schedules/paused.ts';
import {
  dropFromRunQueue,
  findQueued,
  HIGHEST_PRIORITY,
  LOWEST_PRIORITY,
  moveInRunQueue,
  type QueuedRun,
  readQueue,
} from '../../operations/schedules/run-queue.ts';
import { scheduleData } from '../../operations/schedules/schedule-data.ts';
import { printable, printableLine } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { atLeastOne, integerBetween } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { subcommandsOf } from '../subcommands.ts';

interface JsonFlag {
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  const add = subcommandsOf(command);
  command.addHelpText(
    'after',
    '\nSchedules are in workflow files: `schedule: [{cron: "30 2 * * *", timezone: Europe/Berlin}]`. `orchestrate keep` starts them.\n\nExample:\n  orchestrate schedule list\n  orchestrate schedule next --count 10',
  );
  add('list', 'list schedules with their next start', 'orchestrate schedule list')
    .option('--json', 'print as JSON')
    .action(async (flags: JsonFlag) => {
      context.exitCode = await list(context, flags);
    });
  add('next', 'print the next starts of all schedules', 'orchestrate schedule next --count 10')
    .option('--count <n>', 'how many', atLeastOne, 5)
    .option('--json', 'print as JSON')
    .action(async (flags: JsonFlag & { readonly count: number }) => {
      context.exitCode = await next(context, flags);
    });
  add('pause <workflow>', 'pause the schedules of a workflow', 'orchestrate schedule pause nightly').action(
    async (workflow: string) => {
      context.exitCode = await pause(context, { workflow, isPaused: true });
    },
  );
  add(
    'resume <workflow>',
    'resume paused schedules; starts missed meanwhile are not made up for',
    'orchestrate schedule resume nightly',
  ).action(async (workflow: string) => {
    context.exitCode = await pause(context, { workflow, isPaused: false });
  });
  add('queue', 'list runs that wait for their turn', 'orchestrate schedule queue')
    .option('--json', 'print as JSON')
    .action((flags: JsonFlag) => {
      context.exitCode = queue(context, flags);
    });
  add(
    'move <run> <priority>',
    'change the priority of a queued run; the highest starts first',
    'orchestrate schedule move 20260131T120000Z-abc123 10',
  ).action(async (run: string, priority: string) => {
    context.exitCode = await move(context, run, priority);
  });
  add(
    'drop <run>',
    'remove a run from the queue',
    'orchestrate schedule drop 20260131T120000Z-abc123',
  ).action(async (run: string) => {
    context.exitCode = await drop(context, run);
  });
}

async function list(context: CliContext, flags: JsonFlag): Promise<number> {
  const listed = await listSchedules(siteOf(context));
  if (listed.type === 'error') return refuse(context, listed.error);
  const { schedules, invalid } = listed.value;
  for (const { file, problem } of invalid)
    context.err(`${printable(`warning: ${file} cannot be used: ${problem}`)}\n`);
  if (flags.json === true) context.out(`${JSON.stringify(schedules.map(scheduleData), null, 2)}\n`);
  else for (const schedule of schedules) context.out(`${printableLine(lineFor(schedule))}\n`);
  if (schedules.length === 0 && invalid.length === 0 && flags.json !== true)
    context.err('no schedules; add `schedule` to a workflow file in `workflows/`\n');
  return EXIT.done;
}

/** `workflows/nightly.yaml · 30 2 * * * Europe/Berlin · next 2026-10-25T00:30:00Z` */
function lineFor({ file, entry, isPaused, next: at, record }: ListedSchedule): string {
  const when = `${entry.cron}${entry.timezone === undefined ? '' : ` ${entry.timezone}`}`;
  const then = isPaused ? 'paused' : at === undefined ? 'never' : `next ${shown(at)}`;
  const last = record?.lastRun === undefined ? '' : ` · last run ${record.lastRun}`;
  const skip = record?.lastSkip;
  const skipped =
    skip === undefined ? '' : ` · skipped ${shown(new Date(skip.due))}: ${skip.problem ?? skip.why}`;
  return `${file} · ${when} · ${then}${last}${skipped}`;
}

function shown(at: Date): string {
  return at.toISOString().replace(/\.000Z$/, 'Z');
}

async function next(
  context: CliContext,
  { count, json }: JsonFlag & { readonly count: number },
): Promise<number> {
  const starts = await nextStarts(siteOf(context), { count });
  if (starts.type === 'error') return refuse(context, starts.error);
  if (json === true) {
    const data = starts.value.map(({ at, schedule }) => ({ at: at.toISOString(), file: schedule.file }));
    context.out(`${JSON.stringify(data, null, 2)}\n`);
  } else
    for (const { at, schedule } of starts.value)
      context.out(`${shown(at)}  ${printableLine(schedule.file)}\n`);
  if (starts.value.length === 0) context.err('nothing is scheduled\n');
  return EXIT.done;
}

async function pause(
  context: CliContext,
  asked: { readonly workflow: string; readonly isPaused: boolean },
): Promise<number> {
  const done = await pauseSchedule(siteOf(context), asked);
  if (done.type === 'error') return refuse(context, done.error);
  context.err(`${printable(`${done.value.file} is ${asked.isPaused ? 'paused' : 'scheduled again'}`)}\n`);
  return EXIT.done;
}

function queue(context: CliContext, flags: JsonFlag): number {
  const read = readQueue(context.workspace);
  if (read.type === 'error') return refuse(context, read.error);
  if (flags.json === true) context.out(`${JSON.stringify(read.value, null, 2)}\n`);
  else for (const run of read.value) context.out(`${printableLine(queuedLine(run))}\n`);
  if (read.value.length === 0 && flags.json !== true) context.err('the queue is empty\n');
  return EXIT.done;
}

function queuedLine({ run_id, file, priority, queued_at }: QueuedRun): string {
  return `${run_id} · priority ${priority} · ${file} · since ${queued_at}`;
}

async function move(context: CliContext, run: string, text: string): Promise<number> {
  const priority = integerBetween(LOWEST_PRIORITY, HIGHEST_PRIORITY)(text);
  return told(context, await moveInRunQueue(siteOf(context), { run, priority }), 'moved');
}

async function drop(context: CliContext, run: string): Promise<number> {
  const found = findQueued(siteOf(context), run);
  if (found.type === 'error') return refuse(context, found.error);
  const dropped = await dropFromRunQueue(siteOf(context), found.value.run_id);
  return dropped.type === 'error' ? refuse(context, dropped.error) : told(context, found, 'removed');
}

function told(context: CliContext, done: Result<QueuedRun, Problem>, what: string): number {
  if (done.type === 'error') return refuse(context, done.error);
  context.err(`${printable(`${what}: ${queuedLine(done.value)}`)}\n`);
  return EXIT.done;
}
