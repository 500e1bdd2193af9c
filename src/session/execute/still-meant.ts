/**
 * Whether a task that was started is still to be executed. Between a kill and a resume, or a look and a start, people remove a task, divide
 * it, do it themselves or set it to `blocked`. Its document is then read again (`repeated-calls.ts`), and counts more than the plan.
 */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import type { Failure } from '../../model/failure.ts';
import { sideKey, stepKey } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import { object } from '../document/fields.ts';
import type { Task, TaskStatus } from '../document/task.ts';
import { parentIdOf, type TaskId } from '../ids.ts';
import { taskIdOfFile } from '../layout.ts';
import type { TaskCall, TaskOutcome } from './input.ts';
import { TASK_KEY } from './task-state.ts';

/** Why it is not executed after all. */
export type NotMeant = 'removed' | 'divided' | 'held';

export const NOT_MEANT: {
  readonly [Why in NotMeant]: { readonly message: string; readonly status: TaskStatus };
} = {
  removed: { message: 'its file was removed', status: 'pending' },
  divided: { message: 'it was divided into subtasks', status: 'container' },
  held: { message: 'it was set to `blocked`', status: 'blocked' },
};

/** If the task is named later, its document is read again. */
export function notMeant({ id }: TaskCall, why: NotMeant): TaskOutcome {
  return { status: 'not-meant', why, retryKeys: [], namedKeys: [stepKey(id, TASK_KEY)] };
}

/** It may have been divided by writing files, so its own document does not show it. */
export async function isDivided(
  durable: OrchestrateDurable,
  { id, folder }: TaskCall,
  { status }: Task,
): Promise<boolean> {
  if (status === 'container') return true;
  if (parentIdOf(id) !== undefined) return false;
  const patterns = [`${folder}/.task/${id}.*.json`];
  const { output } = await durable.step(
    sideKey(TASK_KEY, 'parts'),
    'find-files',
    { patterns },
    { syncWithNext: true },
  );
  return output.matches.flat().some((file) => isSubtask(file, id));
}

function isSubtask(file: string, of: TaskId): boolean {
  const id = taskIdOfFile(file.slice(file.lastIndexOf('/') + 1));
  return id !== undefined && parentIdOf(id) === of;
}

/** `active`: the document as this run has set it to `active`. If it was read after that, the user or another process has blocked it. */
export function isHeld({ status, execution }: Task, active: JsonObject | undefined): boolean {
  return status === 'blocked' && object(active?.['execution'])['attempts'] === execution.attempts;
}

/** The document was removed while the task was at work. */
export function isGone(failure: Failure | undefined): boolean {
  return failure?.type === 'file' && failure.code === 'ENOENT' && failure.operation === 'update';
}
