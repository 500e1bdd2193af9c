import { diffTask, reviewTask } from '../../operations/sessions/tasks/review-task.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

interface Common {
  readonly session?: string;
}

export function taskDiff(context: CliContext, task: string, { session }: Common): number {
  const read = diffTask(siteOf(context), { session, task });
  if (read.type === 'error') return refuse(context, read.error);
  context.out(read.value.map(({ patch }) => patch).join(''));
  return EXIT.done;
}

export function taskReview(
  context: CliContext,
  task: string,
  flags: Common & { readonly choice: 'accept' | 'reject'; readonly comment?: string },
): number {
  const answered = reviewTask(siteOf(context), { ...flags, task });
  if (answered.type === 'error') return refuse(context, answered.error);
  const { choice, isTakenUp } = answered.value;
  const next = isTakenUp ? '' : '. Continue with: orchestrate execute';
  context.err(`\`${task}\`: ${choice === 'accept' ? 'accepted' : 'rejected'}${next}\n`);
  return EXIT.done;
}
