import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { completeTask, reopenTask } from '../../operations/sessions/tasks/close-task.ts';
import type { TaskUpdated } from '../../operations/sessions/tasks/update-task.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { readGiven } from './read-given.ts';
import { sayChanged } from './say-changed.ts';

export interface DoneFlags {
  readonly session?: string;
  readonly summary?: string;
  readonly file?: string;
}

export async function taskDone(context: CliContext, task: string, flags: DoneFlags): Promise<number> {
  const summary = await summaryOf(context, flags);
  if (summary.type === 'error') return refuse(context, summary.error);
  const { session } = flags;
  return say(
    context,
    'completed',
    await completeTask(siteOf(context), { session, task, summary: summary.value }),
  );
}

export async function taskReopen(
  context: CliContext,
  task: string,
  { session }: { readonly session?: string },
): Promise<number> {
  return say(context, 'open again', await reopenTask(siteOf(context), { session, task }));
}

function say(context: CliContext, how: string, changed: Result<TaskUpdated, Problem>): number {
  if (changed.type === 'error') return refuse(context, changed.error);
  sayChanged(context, changed.value);
  context.err(`\`${changed.value.id}\` is ${how}\n`);
  return EXIT.done;
}

async function summaryOf(
  context: CliContext,
  { summary, file }: DoneFlags,
): Promise<Result<string | undefined, Problem>> {
  if (summary !== undefined && file !== undefined) return error({ type: 'summary-and-file' });
  if (file !== undefined) return readGiven(context, file);
  return summary === '-' ? readGiven(context, '-') : ok(summary);
}
