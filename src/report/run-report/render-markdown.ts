import { momentText } from '../../model/amounts.ts';
import { fence } from '../../model/fence.ts';
import { approveCommands } from '../../model/shell-word.ts';
import { shownStatus } from '../../model/text-only-agent.ts';
import { lastLines, printableLine } from '../text/printable.ts';
import { fieldLines } from '../text/question.ts';
import { type Flow, type FlowNode, nodeLabel } from './flow.ts';
import type { ReportedStep, RunReport } from './run-report.ts';
import { lengthMs, selectFailures, selectSpans, selectSteps } from './selection.ts';
import type { Span } from './timeline.ts';
import { headFacts, nameOf, statusMark, statusText, stepCells } from './words.ts';

const STEPS_SHOWN = 300;
const SPANS_SHOWN = 60;
const TAIL_LINES = 30;

/** Renders a report for a pull request or a wiki: tables and Mermaid diagrams. */
export function renderMarkdown(report: RunReport): string {
  const sections = [
    `# ${escaped(report.run.title)}: ${report.run.status}`,
    table(
      ['', ''],
      headFacts(report).map(([name, words]) => [name, escaped(words)]),
    ),
    errorSection(report),
    questionSection(report),
    stepSection(report),
    fileSection(report),
    timelineSection(report.timeline),
    flowSection(report.flow),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

export function errorSection(report: RunReport, most?: number): string {
  const sections = selectFailures(report.steps, most).map(({ heading, rows, leftOut }) => {
    const error = heading === 'Failures' ? report.run.error : undefined;
    if (rows.length === 0 && error === undefined) return '';
    const parts = [`## ${heading}`];
    // The message of a failed step is under its own name.
    if (error !== undefined && !rows.some((step) => step.error?.message === error.message))
      parts.push(`${escaped(error.message)}.`);
    for (const step of rows)
      parts.push(`### ${escaped(nameOf(step))}`, `${escaped(step.error?.message ?? '')}.`, ...tails(step));
    if (leftOut > 0) parts.push(`${leftOut} more failures are not shown.`);
    return parts.join('\n\n');
  });
  return sections.filter((section) => section !== '').join('\n\n');
}

function tails(step: ReportedStep): readonly string[] {
  const stderr = lastLines(step.error?.stderr_tail ?? '', TAIL_LINES);
  const stdout = lastLines(step.error?.stdout_tail ?? '', TAIL_LINES);
  return [
    ...(stderr.length === 0 ? [] : ['Last lines of stderr:', fence(stderr.join('\n'))]),
    ...(stdout.length === 0 ? [] : ['Last lines of stdout:', fence(stdout.join('\n'))]),
  ];
}

export function questionSection(report: RunReport): string {
  const questions = Object.entries(report.questions);
  if (questions.length === 0) return '';
  const parts = questions.flatMap(([key, question]) => [
    `### ${escaped(key)}`,
    escaped(question.message),
    ...fieldLines(question.fields ?? []).map((line) => `- ${escaped(line)}`),
    fence(approveCommands(report.run.run_id, key, question).join('\n'), 'sh'),
  ]);
  return ['## Open questions', ...parts].join('\n\n');
}

export function stepSection(report: RunReport, most = STEPS_SHOWN): string {
  if (report.steps.length === 0) return '## Steps\n\nNo step has started.';
  const { rows, leftOut } = selectSteps(report.steps, most);
  const cells = rows.map((step) => {
    const { took, tries, cost } = stepCells(step);
    const name = `${'&nbsp;&nbsp;'.repeat(step.depth)}${statusMark(shownStatus(step))} ${escaped(nameOf(step))}`;
    const why = (step.decisions ?? []).map(escaped).join('; ');
    const described = step.description === undefined ? '' : ` — ${escaped(printableLine(step.description))}`;
    return [`${name}${described}`, statusText(step), took, tries, cost, why];
  });
  const more = leftOut === 0 ? '' : `\n\n${leftOut} more steps are not shown.`;
  return `## Steps\n\n${table(['Step', 'Status', 'Duration', 'Attempts', 'Cost', 'Why'], cells)}${more}`;
}

function fileSection(report: RunReport): string {
  if (report.files.length === 0) return '';
  const rows = report.files.map((file) => [
    escaped(file.path),
    escaped(file.written_by.join(', ')),
    escaped(file.read_by.join(', ')),
  ]);
  return `## Files\n\n${table(['File', 'Written by', 'Read by'], rows)}`;
}

function timelineSection(timeline: readonly Span[]): string {
  const { rows, leftOut } = selectSpans(timeline, SPANS_SHOWN);
  const [first] = rows;
  if (first === undefined) return '';
  const lines = rows.map((span) => {
    const start = Date.parse(span.started_at);
    const tag = { completed: 'done', failed: 'crit', running: 'active', 'cut-off': 'crit' }[span.status];
    const attempt = span.attempt > 1 ? ` attempt ${span.attempt}` : '';
    const name = `${nameOf(span)}${attempt}`.replace(/[^\w/.@=-]+/g, ' ').trim();
    return `  ${name} :${tag}, ${start}, ${start + Math.max(1, lengthMs(span))}`;
  });
  const chart = ['gantt', '  dateFormat x', '  axisFormat %H:%M:%S', ...lines].join('\n');
  const more =
    leftOut === 0 ? '' : `\n\nThe ${rows.length} longest are shown; ${leftOut} shorter ones are omitted.`;
  return `## Timeline\n\nStarts at ${momentText(first.started_at)}.\n\n${fence(chart, 'mermaid')}${more}`;
}

function flowSection(flow: Flow): string {
  if (flow.nodes.length === 0) return '';
  const ids = new Map(flow.nodes.map((node, index) => [node.id, `n${index}`]));
  const lines = ['flowchart TD'];
  const draw = (parent: string, indent: string): void => {
    for (const node of flow.nodes.filter((each) => each.parent === parent)) {
      const id = ids.get(node.id);
      if (node.holds) {
        lines.push(`${indent}subgraph ${id}["${label(node)}"]`);
        draw(node.id, `${indent}  `);
        lines.push(`${indent}end`);
      } else lines.push(`${indent}${id}["${label(node)}"]`);
    }
  };
  draw('', '  ');
  for (const edge of flow.edges) {
    const times = edge.count > 1 ? `|${edge.count} times|` : '';
    lines.push(`  ${ids.get(edge.from)} -->${times} ${ids.get(edge.to)}`);
  }
  const failed = flow.nodes.filter((node) => node.failed > 0).map((node) => ids.get(node.id));
  if (failed.length > 0)
    lines.push('  classDef failed stroke:#c62828,stroke-width:2px', `  class ${failed.join(',')} failed`);
  return `## Flow\n\n${fence(lines.join('\n'), 'mermaid')}`;
}

/** Removes characters that have a meaning in a diagram. */
function label(node: FlowNode): string {
  return nodeLabel(node, ' ').replace(/[^\w/. :\u2713\u2717\u25cb-]/g, ' ');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** On one line, with all markup escaped. */
export function escaped(text: string): string {
  return printableLine(text).replace(/[\\`*_[\]<>|#~&]/g, '\\$&');
}
