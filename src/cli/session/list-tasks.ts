import { type ListedTask, taskSummary } from '../../operations/sessions/listed-task.ts';
import { listTasks as list } from '../../operations/sessions/tasks/list-tasks.ts';
import type { TaskStatus } from '../../operations/sessions/vocabulary.ts';
import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { strayWords } from './stray-words.ts';

export interface ListFlags {
  readonly session?: string;
  readonly status?: TaskStatus;
  readonly ready?: boolean;
  readonly json?: boolean;
}

export function listTasks(context: CliContext, flags: ListFlags): number {
  const listed = list(siteOf(context), flags);
  if (listed.type === 'error') return refuse(context, listed.error);
  const { tasks, isEmpty, stray } = listed.value;
  if (flags.json === true) context.out(`${JSON.stringify(tasks.map(taskSummary), null, 2)}\n`);
  else if (tasks.length === 0) context.err(isEmpty ? 'no tasks yet\n' : 'no task matches\n');
  else context.out(table(tasks));
  context.err(strayWords(stray));
  return EXIT.done;
}

function table(tasks: readonly ListedTask[]): string {
  return renderTable(
    [{ title: 'TASK' }, { title: 'STATUS' }, { title: 'TITLE' }, { title: 'WAITS FOR' }],
    tasks.map(({ id, status, title, waitsFor }) => [id, status, printableLine(title), waitsFor.join(', ')]),
  );
}
