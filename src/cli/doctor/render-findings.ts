import { adviceText } from '../../model/advice.ts';
import { howToType } from '../../model/how-to-type.ts';
import type { Finding } from '../../operations/doctor/finding.ts';
import { printableLine } from '../../report/text/printable.ts';

const MARKS = { ok: '✓', note: '·', warning: '!', problem: '✗' } as const;

export function renderFindings(findings: readonly Finding[]): string {
  const lines: string[] = [];
  for (const area of ['program', 'agents', 'environment', 'workspace', 'workers', 'run'] as const) {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) continue;
    lines.push(area);
    for (const { level, message, help } of own) {
      lines.push(`  ${MARKS[level]} ${printableLine(message)}`);
      if (help !== undefined) lines.push(`      ${adviceText(help, howToType)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
