import { error, ok, type Result } from '../../model/result.ts';
import type { Task } from '../../queue/queue.ts';
import { takeTask } from '../../queue/take-task.ts';
import { readFileInside } from '../../store/safe-path.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { findQueue, type QueueChoice, queueProblem } from './find-queue.ts';

export interface TakeFromQueue extends QueueChoice {
  readonly agent: string;
}

/** Takes the oldest task of the agent. Undefined if none is waiting. */
export function takeFromQueue(
  site: Site,
  { agent, ...choice }: TakeFromQueue,
): Result<Task | undefined, Problem> {
  const queue = findQueue(site, choice);
  if (queue.type === 'error') return queue;
  const taken = takeTask(queue.value, agent);
  return taken.type === 'ok' ? taken : error(queueProblem(taken.error));
}

/** Reads a task that was taken. */
export function readTaken({ workspace }: Site, { path }: Task): Result<string, Problem> {
  const contents = readFileInside(workspace, path);
  return contents.type === 'ok' ? ok(contents.value.toString()) : error(queueProblem(contents.error));
}
