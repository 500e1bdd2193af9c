import { ok } from '../model/result.ts';
import { finishTask } from '../operations/queues/finish-task.ts';
import { putInQueue } from '../operations/queues/put-in-queue.ts';
import { readTaken, takeFromQueue } from '../operations/queues/take-from-queue.ts';
import { objectOf, type Tool, text, textIn } from './tool.ts';

const agent = text('whose queue it is');
const path = text('where the task stands, as `queue_take` told');

export const QUEUE_TOOLS: readonly Tool[] = [
  {
    name: 'queue_put',
    description: 'Put a task at the end of the queue of an agent.',
    input: objectOf({ agent, task: text('the task, as text') }, ['agent', 'task']),
    run(site, given) {
      const put = putInQueue(site, {
        agent: textIn(given, 'agent') ?? '',
        contents: { text: textIn(given, 'task') ?? '' },
      });
      return put.type === 'ok' ? ok({ ...put.value }) : put;
    },
  },
  {
    name: 'queue_take',
    description: 'Claim the oldest task of an agent. `task` is null when none waits.',
    input: objectOf({ agent }, ['agent']),
    run(site, given) {
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
    run: (site, given) => finishTask(site, { task: textIn(given, 'path') ?? '', as: 'done' }),
  },
  {
    name: 'queue_fail',
    description: 'Move a task that is not to be tried again to the failed ones.',
    input: objectOf({ path }, ['path']),
    run: (site, given) => finishTask(site, { task: textIn(given, 'path') ?? '', as: 'failed' }),
  },
];
