import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { listAgents, listTaken, listTasks } from '../../queue/list-tasks.ts';
import type { Task } from '../../queue/queue.ts';
import { type Problem, refused } from '../problem.ts';
import type { Site } from '../site.ts';
import { findQueue, type QueueChoice } from './find-queue.ts';

export type { Task } from '../../queue/queue.ts';

export interface ListQueue extends QueueChoice {
  /** All that have a queue where absent. */
  readonly agent?: string | undefined;
  /** Those that were taken and neither done nor failed since, in place of those that wait. */
  readonly taken?: boolean | undefined;
}

/** The oldest of each agent first. */
export function listQueue(
  site: Site,
  { agent, taken, ...choice }: ListQueue,
): Result<readonly Task[], Problem> {
  const queue = findQueue(site, choice);
  if (queue.type === 'error') return queue;
  const agents = agent === undefined ? listAgents(queue.value) : ok([agent]);
  if (agents.type === 'error') return unlistable(agents.error);
  const tasks: Task[] = [];
  for (const name of agents.value) {
    const listed = (taken === true ? listTaken : listTasks)(queue.value, name);
    if (listed.type === 'error') return unlistable(listed.error);
    for (const task of listed.value) tasks.push(task);
  }
  return ok(tasks);
}

function unlistable(failure: Failure): Result<never, Problem> {
  return error(refused('invalid', describeFailure(failure)));
}
