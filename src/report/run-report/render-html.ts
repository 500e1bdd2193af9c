/** Renders one self-contained page: no script, nothing fetched, and text from steps is never markup. */

import { momentText } from '../../model/amounts.ts';
import { approveCommands } from '../../model/shell-word.ts';
import { shownStatus } from '../../model/text-only-agent.ts';
import { lastLines } from '../text/printable.ts';
import { fieldLines } from '../text/question.ts';
import { flowSvg } from './flow-svg.ts';
import { block, cell, htmlPage, numbers, table, text } from './html-page.ts';
import type { ReportedStep, RunReport } from './run-report.ts';
import { selectFailures, selectSpans, selectSteps } from './selection.ts';
import { timelineSvg } from './timeline-svg.ts';
import { headFacts, nameOf, statusMark, statusText, stepCells } from './words.ts';

const STEPS_SHOWN = 2000;
const SPANS_SHOWN = 300;
const TAIL_LINES = 60;

export function renderHtml(report: RunReport): string {
  const { run } = report;
  const title = `${run.title}: ${run.status}`;
  const sections = [
    `<h1>${text(run.title)} <span class="${run.status}">${text(run.status)}</span></h1>`,
    table(
      [],
      headFacts(report).map(([name, words]) => [cell(name, 'soft'), cell(words, 'long')]),
    ),
    errorSection(report),
    questionSection(report),
    stepSection(report),
    fileSection(report),
    timelineSection(report),
    flowSection(report),
  ];
  return htmlPage(title, sections);
}

function errorSection(report: RunReport): string {
  const sections = selectFailures(report.steps).map(({ heading, rows, leftOut }) => {
    const error = heading === 'Failures' ? report.run.error : undefined;
    if (rows.length === 0 && error === undefined) return '';
    const isNamed = rows.some((step) => step.error?.message === error?.message);
    const head = error === undefined || isNamed ? '' : `<p>${text(error.message)}.</p>`;
    const more = leftOut === 0 ? '' : `<p class="soft">${leftOut} more failures are not shown.</p>`;
    return `<h2>${heading}</h2>${head}${rows.map(errorOf).join('')}${more}`;
  });
  return sections.filter((section) => section !== '').join('\n');
}

function errorOf(step: ReportedStep): string {
  const tail = (name: string, kept: string | undefined): string => {
    const lines = lastLines(kept ?? '', TAIL_LINES);
    return lines.length === 0 ? '' : `<p class="soft">Last lines of ${name}:</p>${block(lines.join('\n'))}`;
  };
  const { error } = step;
  return `<h3>${text(nameOf(step))}</h3><p>${text(error?.message ?? '')}.</p>${tail('stderr', error?.stderr_tail)}${tail('stdout', error?.stdout_tail)}`;
}

function questionSection(report: RunReport): string {
  const questions = Object.entries(report.questions).map(
    ([key, question]) =>
      `<h3>${text(key)}</h3><p>${text(question.message)}</p>${fieldLines(question.fields ?? [])
        .map((line) => `<p>${text(line)}</p>`)
        .join('')}${block(approveCommands(report.run.run_id, key, question).join('\n'))}`,
  );
  return questions.length === 0 ? '' : `<h2>Open questions</h2>${questions.join('')}`;
}

function stepSection(report: RunReport): string {
  const { rows, leftOut } = selectSteps(report.steps, STEPS_SHOWN);
  if (rows.length === 0) return '<h2>Steps</h2><p>No step has started.</p>';
  const cells = rows.map((step) => {
    const { took, tries, cost } = stepCells(step);
    const described =
      step.description === undefined ? '' : ` <span class="soft">${text(step.description)}</span>`;
    return [
      `<td class="long" style="padding-left:${step.depth * 1.2}rem"><span class="${text(shownStatus(step))}">${statusMark(shownStatus(step))}</span> ${text(nameOf(step))}${described}</td>`,
      cell(statusText(step)),
      cell(took, 'num'),
      cell(tries),
      cell(cost, 'num'),
      cell((step.decisions ?? []).join('; '), 'soft long'),
    ];
  });
  const more = leftOut === 0 ? '' : `<p class="soft">${leftOut} more steps are not shown.</p>`;
  return `<h2>Steps</h2>${table(['Step', 'Status', numbers('Duration'), 'Attempts', numbers('Cost'), 'Why'], cells)}${more}`;
}

function fileSection(report: RunReport): string {
  if (report.files.length === 0) return '';
  const cells = report.files.map((file) => [
    cell(file.path, 'long'),
    cell(file.written_by.join(', '), 'long'),
    cell(file.read_by.join(', '), 'long'),
  ]);
  return `<h2>Files</h2>${table(['File', 'Written by', 'Read by'], cells)}`;
}

function timelineSection(report: RunReport): string {
  const { rows, leftOut } = selectSpans(report.timeline, SPANS_SHOWN);
  const [first] = rows;
  if (first === undefined) return '';
  const more =
    leftOut === 0
      ? ''
      : `<p class="soft">The ${rows.length} longest are shown; ${leftOut} shorter ones are omitted.</p>`;
  return `<h2>Timeline</h2><p class="soft">Starts at ${text(momentText(first.started_at))}.</p><div class="wide">${timelineSvg(rows)}</div>${more}`;
}

function flowSection(report: RunReport): string {
  return report.flow.nodes.length === 0 ? '' : `<h2>Flow</h2><div class="wide">${flowSvg(report.flow)}</div>`;
}
