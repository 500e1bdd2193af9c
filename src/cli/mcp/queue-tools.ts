import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { compactTimestamp } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { doneTask, failTask } from '../../queue/finish-task.ts';
import { putTask } from '../../queue/put-task.ts';
import { QUEUE_DEFAULTS, type Queue, type Task } from '../../queue/queue.ts';
import { takeTask } from '../../queue/take-task.ts';
import { readFileInside } from '../../store/safe-path.ts';
import type { CliContext } from '../context.ts';
import { objectOf, type Tool, type ToolAnswer, text, textIn } from './tool.ts';

const agent = text('whose queue it is');
const path = text('where the task stands, as `queue_take` told');

export const QUEUE_TOOLS: readonly Tool[] = [
  {
    name: 'queue_put',
    description: 'Put a task at the end of the queue of an agent.',
    input: objectOf({ agent, task: text('the task, as text') }, ['agent', 'task']),
    async run(context, given) {
      return answerTask(putTask(queueOf(context), textIn(given, 'agent') ?? '', textIn(given, 'task') ?? ''));
    },
  },
  {
    name: 'queue_take',
    description: 'Claim the oldest task of an agent. `task` is null when none waits.',
    input: objectOf({ agent }, ['agent']),
    async run(context, given) {
      const taken = takeTask(queueOf(context), textIn(given, 'agent') ?? '');
      if (taken.type === 'error') return error(describeFailure(taken.error));
      if (taken.value === undefined) return ok({ task: null });
      const contents = readFileInside(context.workspace, taken.value.path);
      if (contents.type === 'error') return error(describeFailure(contents.error));
      return ok({ ...taken.value, task: contents.value.toString() });
    },
  },
  {
    name: 'queue_done',
    description: 'Move a task that was taken to the processed ones.',
    input: objectOf({ path }, ['path']),
    run: async (context, given) => finish(context, textIn(given, 'path') ?? '', doneTask),
  },
  {
    name: 'queue_fail',
    description: 'Move a task that is not to be tried again to the failed ones.',
    input: objectOf({ path }, ['path']),
    run: async (context, given) => finish(context, textIn(given, 'path') ?? '', failTask),
  },
];

function queueOf({ workspace }: CliContext): Queue {
  return { workspace, ...QUEUE_DEFAULTS };
}

function answerTask(result: Result<Task, Failure>): ToolAnswer {
  return result.type === 'ok' ? ok({ ...result.value }) : error(describeFailure(result.error));
}

function finish(context: CliContext, task: string, move: typeof doneTask): ToolAnswer {
  const moved = move(queueOf(context), task, compactTimestamp(new Date()));
  return moved.type === 'ok' ? ok({ path: moved.value }) : error(describeFailure(moved.error));
}
