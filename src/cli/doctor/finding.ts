import { printableLine } from '../../report/text/printable.ts';

/** One thing the doctor looked at. `help` is there for everything that is not well: what to do about it. */
export interface Finding {
  readonly area: 'program' | 'agents' | 'environment' | 'workspace' | 'run';
  readonly level: 'ok' | 'note' | 'warning' | 'problem';
  readonly message: string;
  readonly help?: string;
}

const MARKS = { ok: '✓', note: '·', warning: '!', problem: '✗' } as const;

export function renderFindings(findings: readonly Finding[]): string {
  const lines: string[] = [];
  for (const area of ['program', 'agents', 'environment', 'workspace', 'run'] as const) {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) continue;
    lines.push(area);
    for (const { level, message, help } of own) {
      lines.push(`  ${MARKS[level]} ${printableLine(message)}`);
      if (help !== undefined) lines.push(`      ${help}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
