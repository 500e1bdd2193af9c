import type { IterationReport, LoopReport } from '../model/loop-report.ts';
import { unreachable } from '../model/unreachable.ts';
import { documentHtml, documentMarkdown } from './loop-report/document.ts';
import { iterationDocument, nightDocument, nightTitle } from './loop-report/loop-document.ts';

export const LOOP_REPORT_FORMATS = ['md', 'html', 'json'] as const;
export type LoopReportFormat = (typeof LOOP_REPORT_FORMATS)[number];

/** What loops did: the work of a night. */
export function renderLoops(loops: readonly LoopReport[], format: LoopReportFormat): string {
  switch (format) {
    case 'md':
      return documentMarkdown(nightDocument(loops));
    case 'html':
      return documentHtml(nightTitle(loops), nightDocument(loops));
    case 'json':
      return `${JSON.stringify({ report_version: 1, loops }, null, 2)}\n`;
    default:
      return unreachable(format);
  }
}

export function renderIteration(name: string, iteration: IterationReport): string {
  return documentMarkdown(iterationDocument(name, iteration));
}
