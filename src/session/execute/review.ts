/** A look at the work of a task by a person, before it is merged. */
import { defined } from '../../model/defined.ts';
import { stepKey } from '../../model/ids.ts';
import { WORKFLOW_FOLDER } from '../layout.ts';
import { type TaskWork, WORK_KEYS, type WorkFailure } from './task-state.ts';

const SAVE_KEY = stepKey('save');
/** The question is `<task>/review`. */
const REVIEW_KEY = stepKey('review');

/** Undefined: accepted, or nothing was changed. The work is saved first, so that its diff can be shown; a rejected one stays on its branch. */
export async function reviewWork({ durable, call, task, asker }: TaskWork): Promise<WorkFailure | undefined> {
  const saved = await durable.step(SAVE_KEY, 'commit-worktree', {
    name: call.id,
    except: [WORKFLOW_FOLDER],
    message: call.id,
  });
  const { failure, files = [], branch } = saved.output;
  if (failure !== undefined) return { failure, again: [SAVE_KEY] };
  if (files.length === 0) return undefined;
  const names = files.slice(0, 5).map(({ path }) => `\`${path}\``);
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : '';
  const question = {
    message: `${task.id}: ${task.title} changed ${names.join(', ')}${more}. Show the changes with: orchestrate task diff ${task.id}`,
    choices: ['accept', 'reject'],
  };
  const answer = await asker.ask(() => durable.answer(REVIEW_KEY, question));
  if (answer.choice === 'accept') return undefined;
  const comment = 'comment' in answer ? answer.comment : undefined;
  return {
    failure: { type: 'rejected', branch: branch ?? '', ...defined({ comment }) },
    again: [],
    ifNamed: [...WORK_KEYS, SAVE_KEY, REVIEW_KEY],
  };
}
