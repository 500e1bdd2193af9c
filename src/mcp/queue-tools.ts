import { describeFailure } from '../model/describe-failure.ts';
import type { Failure } from '../model/failure.ts';
import { compactTimestamp } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { type Problem, refused } from '../operations/problem.ts';
import type { Site } from '../operations/site.ts';
import { doneTask, failTask } from '../queue/finish-task.ts';
import { putTask } from '../queue/put-task.ts';
import { QUEUE_DEFAULTS, type Queue, type Task } from '../queue/queue.ts';
import { takeTask } from '../queue/take-task.ts';
import { readFileInside } from '../store/safe-path.ts';
import { objectOf, type Tool, type ToolAnswer, text, textIn } from './tool.ts';

const agent = text('whose queue it is');
const path = text('where the task stands, as `queue_take` told');

export const QUEUE_TOOLS: readonly Tool[] = [
  {
    name: 'queue_put',
    description: 'Put a task at the end of the queue of an agent.',
    input: objectOf({ agent, task: text('the task, as text') }, ['agent', 'task']),
    async run(site, given) {
      return answerTask(putTask(queueOf(site), textIn(given, 'agent') ?? '', textIn(given, 'task') ?? ''));
    },
  },
  {
    name: 'queue_take',
    description: 'Claim the oldest task of an agent. `task` is null when none waits.',
    input: objectOf({ agent }, ['agent']),
    async run(site, given) {
      const taken = takeTask(queueOf(site), textIn(given, 'agent') ?? '');
      if (taken.type === 'error') return error(failed(taken.error));
      if (taken.value === undefined) return ok({ task: null });
      const contents = readFileInside(site.workspace, taken.value.path);
      if (contents.type === 'error') return error(failed(contents.error));
      return ok({ ...taken.value, task: contents.value.toString() });
    },
  },
  {
    name: 'queue_done',
    description: 'Move a task that was taken to the processed ones.',
    input: objectOf({ path }, ['path']),
    run: async (site, given) => finish(site, textIn(given, 'path') ?? '', doneTask),
  },
  {
    name: 'queue_fail',
    description: 'Move a task that is not to be tried again to the failed ones.',
    input: objectOf({ path }, ['path']),
    run: async (site, given) => finish(site, textIn(given, 'path') ?? '', failTask),
  },
];

function queueOf({ workspace }: Site): Queue {
  return { workspace, ...QUEUE_DEFAULTS };
}

function answerTask(result: Result<Task, Failure>): ToolAnswer {
  return result.type === 'ok' ? ok({ ...result.value }) : error(failed(result.error));
}

function finish(site: Site, task: string, move: typeof doneTask): ToolAnswer {
  const moved = move(queueOf(site), task, compactTimestamp(new Date()));
  return moved.type === 'ok' ? ok({ path: moved.value }) : error(failed(moved.error));
}

function failed(failure: Failure): Problem {
  return refused('failed', describeFailure(failure));
}
