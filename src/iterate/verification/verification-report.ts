/** Reads a verification report by its markers. */
import { defined } from '../../model/defined.ts';
import type { VerificationStatus } from '../workspace/metadata.ts';

export interface VerificationReport {
  readonly status: VerificationStatus;
  readonly summary: string;
  readonly issues: readonly string[];
  readonly confidence?: string;
  readonly recommendedAction?: string;
}

export const NO_SUMMARY = 'The report has no summary.';

export function parseVerificationReport(text: string): VerificationReport {
  const lines = text.split(/\r?\n/);
  const confidence = field(lines, 'Confidence Level');
  const recommendedAction = field(lines, 'Recommended Action');
  return {
    status: statusOf(text),
    summary: firstParagraph(section(lines, /^##\s+Summary\s*$/i)) || NO_SUMMARY,
    issues: numbered(section(lines, /^###\s+(?:Incomplete Requirements|Requirements Not Met)\s*$/i)),
    ...defined({ confidence, recommendedAction }),
  };
}

/** One missing requirement outweighs everything confirmed. */
function statusOf(text: string): VerificationStatus {
  if (text.includes('❌ INCOMPLETE')) return 'fail';
  return text.includes('✅ VERIFIED') ? 'pass' : 'needs_review';
}

/** From the heading to the next one of the same or a higher level. */
function section(lines: readonly string[], heading: RegExp): readonly string[] {
  const start = lines.findIndex((line) => heading.test(line));
  if (start === -1) return [];
  const rank = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 1;
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => {
    const marks = /^(#+)\s/.exec(line)?.[1];
    return marks !== undefined && marks.length <= rank;
  });
  return end === -1 ? after : after.slice(0, end);
}

function firstParagraph(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line.trim() !== '');
  if (start === -1) return '';
  const after = lines.slice(start);
  const end = after.findIndex((line) => line.trim() === '' || line.startsWith('#'));
  return (end === -1 ? after : after.slice(0, end)).map((line) => line.trim()).join(' ');
}

function numbered(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const mark = /^\s{0,3}\d+[.)]\s+/.exec(line)?.[0];
    const item = mark === undefined ? '' : line.slice(mark.length).trim();
    return item === '' ? [] : [item];
  });
}

function field(lines: readonly string[], name: string): string | undefined {
  const start = `**${name}**:`;
  const line = lines.find((each) =>
    each
      .trimStart()
      .replace(/^[-*]\s+/, '')
      .startsWith(start),
  );
  if (line === undefined) return undefined;
  const value = line.slice(line.indexOf(start) + start.length).trim();
  return value === '' ? undefined : value;
}
