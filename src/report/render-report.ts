import { unreachable } from '../model/unreachable.ts';
import { renderHtml } from './run-report/render-html.ts';
import { renderMarkdown } from './run-report/render-markdown.ts';
import { createRunReport, type ReportSource } from './run-report/run-report.ts';

export type ReportFormat = 'md' | 'html' | 'json';

/** Renders a report of a run: its steps, times, costs, files, timeline and flow. */
export function renderReport(source: ReportSource, format: ReportFormat): string {
  const report = createRunReport(source);
  switch (format) {
    case 'md':
      return renderMarkdown(report);
    case 'html':
      return renderHtml(report);
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`;
    default:
      return unreachable(format);
  }
}
