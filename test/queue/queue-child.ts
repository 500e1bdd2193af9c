// Claims tasks of the agent `engineer` until none is left, finishes each and prints its name.
import { doneTask } from '../../src/queue/finish-task.ts';
import { QUEUE_DEFAULTS } from '../../src/queue/queue.ts';
import { takeTask } from '../../src/queue/take-task.ts';

const [workspace = ''] = process.argv.slice(2);
const queue = { workspace, ...QUEUE_DEFAULTS };
for (;;) {
  const taken = takeTask(queue, 'engineer');
  if (taken.type === 'error') throw new Error(JSON.stringify(taken.error));
  if (taken.value === undefined) break;
  const done = doneTask(queue, taken.value.path, 'stamp');
  if (done.type === 'error') throw new Error(JSON.stringify(done.error));
  process.stdout.write(`${taken.value.name}\n`);
}
