import { typedCommand } from '../../model/typed-command.ts';
import { printableLine } from '../../report/text/printable.ts';

const MOST = 5;

/** Names files that no list of tasks includes; empty if there are none. */
export function strayWords(files: readonly string[]): string {
  if (files.length === 0) return '';
  const more = files.length > MOST ? `, and ${files.length - MOST} more` : '';
  const names = files.slice(0, MOST).map(printableLine).join(', ');
  return `not read as ${files.length === 1 ? 'a task' : 'tasks'}: ${names}${more}; the reasons: ${typedCommand('task validate')}\n`;
}
