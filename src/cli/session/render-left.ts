import { typedCommand } from '../../model/typed-command.ts';
import type { ListedTask } from '../../operations/sessions/listed-task.ts';
import { printableLine } from '../../report/text/printable.ts';

const MOST = 10;

/** The tasks that an execution leaves, one per line, with the reason. */
export function renderLeft(tasks: readonly ListedTask[], isPaused: boolean): string {
  const lines = tasks
    .slice(0, MOST)
    .map((task) => `  ${task.id}  ${printableLine(task.title)}  ${reason(task)}`);
  if (tasks.length > MOST) lines.push(`  and ${tasks.length - MOST} more`);
  const help = isPaused
    ? 'the session is paused; continue with `orchestrate session resume` and `orchestrate execute`\n'
    : '';
  const kept = tasks
    .slice(0, MOST)
    .flatMap(({ id, keptBranch }) => (keptBranch === undefined ? [] : keptHelp(id)));
  return `not completed:\n${[...lines, ...kept].join('\n')}\n${help}`;
}

function reason({ status, lastError, waitsFor, activity }: ListedTask): string {
  if (activity !== undefined && activity !== 'running') return activity;
  if (status === 'blocked') return `blocked${lastError === undefined ? '' : `: ${printableLine(lastError)}`}`;
  if (waitsFor.length > 0) return `waiting for ${waitsFor.join(', ')}`;
  return status;
}

function keptHelp(id: string): readonly string[] {
  return [
    `help: the work of ${id} is not merged. Merge it with: ${typedCommand(`task merge ${id}`)}`,
    `      or remove it with: ${typedCommand(`task discard ${id}`)}`,
  ];
}
