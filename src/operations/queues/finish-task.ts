import { compactTimestamp } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { doneTask, failTask } from '../../queue/finish-task.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { findQueue, type QueueChoice, queueProblem } from './find-queue.ts';

export interface FinishTask extends QueueChoice {
  /** Path of the task. */
  readonly task: string;
  /** `failed`: it will not be retried. */
  readonly as: 'done' | 'failed';
}

/** Returns its new path. */
export function finishTask(
  site: Site,
  { task, as, ...choice }: FinishTask,
): Result<{ readonly path: string }, Problem> {
  const queue = findQueue(site, choice);
  if (queue.type === 'error') return queue;
  const moved = (as === 'done' ? doneTask : failTask)(queue.value, task, compactTimestamp(site.now()));
  return moved.type === 'ok' ? ok({ path: moved.value }) : error(queueProblem(moved.error));
}
