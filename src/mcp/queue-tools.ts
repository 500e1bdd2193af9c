import { ok } from '../model/result.ts';
import { type FinishTask, finishTask } from '../operations/queues/finish-task.ts';
import { putInQueue } from '../operations/queues/put-in-queue.ts';
import { readTaken, takeFromQueue } from '../operations/queues/take-from-queue.ts';
import type { Site } from '../operations/site.ts';
import { objectOf, type Tool, type ToolAnswer, text, textIn } from './tool.ts';

const agent = text('whose queue it is');
const path = text('where the task stands, as `queue_take` told');

export const QUEUE_TOOLS: readonly Tool[] = [
  {
    name: 'queue_put',
    description: 'Put a task at the end of the queue of an agent.',
    input: objectOf({ agent, task: text('the task, as text') }, ['agent', 'task']),
    async run(site, given) {
      const contents = { text: textIn(given, 'task') ?? '' };
      const put = putInQueue(site, { agent: textIn(given, 'agent') ?? '', contents });
      return put.type === 'ok' ? ok({ ...put.value }) : put;
    },
  },
  {
    name: 'queue_take',
    description: 'Claim the oldest task of an agent. `task` is null when none waits.',
    input: objectOf({ agent }, ['agent']),
    async run(site, given) {
      const taken = takeFromQueue(site, { agent: textIn(given, 'agent') ?? '' });
      if (taken.type === 'error') return taken;
      if (taken.value === undefined) return ok({ task: null });
      const contents = readTaken(site, taken.value);
      return contents.type === 'ok' ? ok({ ...taken.value, task: contents.value }) : contents;
    },
  },
  {
    name: 'queue_done',
    description: 'Move a task that was taken to the processed ones.',
    input: objectOf({ path }, ['path']),
    run: async (site, given) => finish(site, textIn(given, 'path') ?? '', 'done'),
  },
  {
    name: 'queue_fail',
    description: 'Move a task that is not to be tried again to the failed ones.',
    input: objectOf({ path }, ['path']),
    run: async (site, given) => finish(site, textIn(given, 'path') ?? '', 'failed'),
  },
];

function finish(site: Site, task: string, as: FinishTask['as']): ToolAnswer {
  const moved = finishTask(site, { task, as });
  return moved.type === 'ok' ? ok({ ...moved.value }) : moved;
}
