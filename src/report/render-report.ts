import { unreachable } from '../model/unreachable.ts';
import { renderOtlp } from './otlp/render-otlp.ts';
import { traceOf } from './otlp/trace.ts';
import { renderHtml } from './run-report/render-html.ts';
import { renderJunit } from './run-report/render-junit.ts';
import { renderMarkdown } from './run-report/render-markdown.ts';
import { renderSummary } from './run-report/render-summary.ts';
import { createRunReport, type ReportSource } from './run-report/run-report.ts';

export const REPORT_FORMATS = ['md', 'html', 'json', 'junit', 'github', 'otlp'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Renders a report of a run: its steps, times, costs, files, timeline and flow. */
export function renderReport(source: ReportSource, format: ReportFormat): string {
  if (format === 'otlp') {
    const { state, events, now } = source;
    const spans = traceOf(events, { content: false, now: new Date(now).toISOString() });
    return `${renderOtlp(state.run_id, spans, {})}\n`;
  }
  const report = createRunReport(source);
  switch (format) {
    case 'md':
      return renderMarkdown(report);
    case 'html':
      return renderHtml(report);
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`;
    case 'junit':
      return renderJunit(report);
    case 'github':
      return renderSummary(report);
    default:
      return unreachable(format);
  }
}
