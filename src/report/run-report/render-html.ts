/** Renders one self-contained page: no script, nothing fetched, and text from steps is never markup. */

import { approveCommands } from '../../model/shell-word.ts';
import { momentText } from '../text/amounts.ts';
import { lastLines, printable, printableLine } from '../text/printable.ts';
import { fieldLines } from '../text/question.ts';
import { escapeHtml } from './escape-html.ts';
import { flowSvg } from './flow-svg.ts';
import type { ReportedStep, RunReport } from './run-report.ts';
import { selectFailures, selectSpans, selectSteps } from './selection.ts';
import { timelineSvg } from './timeline-svg.ts';
import { headFacts, nameOf, statusMark, statusText, stepCells } from './words.ts';

const STEPS_SHOWN = 2000;
const SPANS_SHOWN = 300;
const TAIL_LINES = 60;

const STYLE = `:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#667;--line:#d8dce2;--fill:#f4f6f8;--good:#2e7d32;--bad:#c62828;--wait:#b26a00;--run:#1565c0}
@media(prefers-color-scheme:dark){:root{--fg:#e6e8eb;--bg:#14171a;--soft:#9aa3ad;--line:#343a41;--fill:#1d2226;--good:#66bb6a;--bad:#ef5350;--wait:#ffb74d;--run:#64b5f6}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}h3{font-size:1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.2rem .7rem .2rem 0;vertical-align:top;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:500}th.num,td.num{text-align:right}td.long{min-width:11rem;white-space:normal;overflow-wrap:anywhere}
pre{background:var(--fill);padding:.7rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:6px}
.completed{color:var(--good)}.failed,.cancelled{color:var(--bad)}.skipped{color:var(--soft)}.waiting,.interrupted,.running{color:var(--wait)}
.soft{color:var(--soft)}.wide{overflow-x:auto}.wide svg{min-width:40rem}
svg text{font:13px ui-monospace,monospace;fill:var(--fg)}svg text.small{font-size:11px;fill:var(--soft)}
.grid{stroke:var(--line)}.bar{fill:var(--run)}.bar.completed{fill:var(--good)}.bar.failed,.bar.cut-off{fill:var(--bad)}.bar.question{fill:var(--wait)}
.node,.holder{fill:var(--fill);stroke:var(--soft)}.holder{fill:none;stroke-dasharray:4 3}.node.completed{stroke:var(--good)}.node.failed,.holder.failed{stroke:var(--bad);stroke-width:2}
.arrow{fill:none;stroke:var(--soft)}.head{fill:var(--soft)}`;

export function renderHtml(report: RunReport): string {
  const { run } = report;
  const title = text(`${run.title}: ${run.status}`);
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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>
${STYLE}
</style>
</head>
<body>
${sections.filter((section) => section !== '').join('\n')}
</body>
</html>
`;
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
      `<td class="long" style="padding-left:${step.depth * 1.2}rem"><span class="${text(step.status)}">${statusMark(step.status)}</span> ${text(nameOf(step))}${described}</td>`,
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

interface Title {
  readonly name: string;
  readonly kind: 'num';
}

function numbers(name: string): Title {
  return { name, kind: 'num' };
}

/** A table as wide as its text. In a narrower window it scrolls, and only long cells wrap. */
function table(head: readonly (string | Title)[], rows: readonly (readonly string[])[]): string {
  const title = (of: string | Title): string =>
    typeof of === 'string' ? `<th>${text(of)}</th>` : `<th class="${of.kind}">${text(of.name)}</th>`;
  const titles = head.length === 0 ? '' : `<thead><tr>${head.map(title).join('')}</tr></thead>`;
  const body = rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n');
  return `<div class="wide"><table>${titles}<tbody>${body}</tbody></table></div>`;
}

function cell(words: string, kind = ''): string {
  return kind === '' ? `<td>${text(words)}</td>` : `<td class="${kind}">${text(words)}</td>`;
}

function text(words: string): string {
  return escapeHtml(printableLine(words));
}

function block(words: string): string {
  return `<pre>${escapeHtml(printable(words))}</pre>`;
}
