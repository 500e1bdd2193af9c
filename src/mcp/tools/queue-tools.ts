import { ok } from '../../model/result.ts';
import { finishTask } from '../../operations/queues/finish-task.ts';
import { putInQueue } from '../../operations/queues/put-in-queue.ts';
import { readTaken, takeFromQueue } from '../../operations/queues/take-from-queue.ts';
import { objectOf, type Tool, text, textIn } from './tool.ts';

const agent = text('agent whose queue it is');
const path = text('path of the task, as returned by `queue_take`');

export const QUEUE_TOOLS: readonly Tool[] = [
  {
    name: 'queue_put',
    description: "Add a task to the end of an agent's queue.",
    input: objectOf({ agent, task: text('text of the task') }, ['agent', 'task']),
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
    description: 'Take the oldest task of an agent. `task` is null if none is waiting.',
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
    description: 'Move a task that was taken to the processed folder.',
    input: objectOf({ path }, ['path']),
    run: (site, given) => finishTask(site, { task: textIn(given, 'path') ?? '', as: 'done' }),
  },
  {
    name: 'queue_fail',
    description: 'Move a task that should not be retried to the failed folder.',
    input: objectOf({ path }, ['path']),
    run: (site, given) => finishTask(site, { task: textIn(given, 'path') ?? '', as: 'failed' }),
  },
];
