/** The output of `execute --dry-run`. */
import type { ExecutionPreview } from '../../operations/sessions/execute/preview-execution.ts';
import { printableLine } from '../../report/text/printable.ts';

export function renderDryRun(preview: ExecutionPreview): string {
  const { session, agent, isCommand, maxParallel, waves, left } = preview;
  const count = waves.reduce((sum, wave) => sum + wave.length, 0);
  const worker = isCommand ? `\`${agent}\`` : agent;
  const lines = [
    `${session}: ${count} ${count === 1 ? 'task' : 'tasks'} would be executed by ${worker}, at most ${maxParallel} at once`,
  ];
  waves.forEach((wave, index) => {
    wave.forEach(({ id, title, waitsFor }, place) => {
      const number = place === 0 ? `${index + 1}.`.padStart(4) : '    ';
      const after = waitsFor.length === 0 ? '' : `  after ${waitsFor.join(', ')}`;
      lines.push(`${number} ${id}  ${printableLine(title)}${after}`);
    });
  });
  for (const { id, waitsFor } of left)
    lines.push(`not executed: ${id} is waiting for ${waitsFor.join(', ')}`);
  return `${lines.join('\n')}\n`;
}
