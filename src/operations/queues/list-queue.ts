import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { listAgents, listTaken, listTasks } from '../../queue/list-tasks.ts';
import type { Task } from '../../queue/queue.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { findQueue, type QueueChoice } from './find-queue.ts';

export type { Task } from '../../queue/queue.ts';

export interface ListQueue extends QueueChoice {
  /** Default: all agents that have a queue. */
  readonly agent?: string | undefined;
  /** List tasks that were taken and not finished yet, instead of waiting ones. */
  readonly taken?: boolean | undefined;
}

/** Lists the tasks of each agent, oldest first. */
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
  return error({ type: 'invalid-place', failure });
}
