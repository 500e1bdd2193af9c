/** A run as JUnit XML, in the dialect of Jenkins (`junit-10.xsd`), which has no `skipped` on `testsuites`: each step is a test case, so that CI services show which one failed and how long it took. */
import { shownStatus, UNVERIFIED, UNVERIFIED_TEXT } from '../../model/text-only-agent.ts';
import { visible } from '../../model/visible.ts';
import { lastLines } from '../text/printable.ts';
import type { ReportedStep, RunReport } from './run-report.ts';
import { nameOf } from './words.ts';

const TAIL_LINES = 30;

/**
 * A step that only contains others is not a case: they are. A failure that is allowed, or that the run has handled, so that it completed, is not a
 * failure of the suite: it is listed as skipped, with its message. So is what was stopped inside a step that completed, such as the slower branch of
 * `join: any`, and a step of which only the exit code is known. What was running when the run stopped is an error.
 */
export function renderJunit(report: RunReport): string {
  const { run, steps } = report;
  const settled = run.status === 'completed' ? new Set(steps) : insideCompleted(steps);
  const cases = [
    ...steps.filter((step) => step.holds !== true).map((step) => caseOf(step, run.title, settled.has(step))),
    ...ownCase(run),
  ];
  const count = (type: Case['type']): number => cases.filter((each) => each.type === type).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
  const time = `time="${seconds(run.duration_ms)}"`;
  const name = attribute(run.title);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name}" ${counts} ${time}>
  <testsuite name="${name}" ${counts} skipped="${count('skipped')}" ${time} timestamp="${run.started_at.slice(0, 19)}">
    <properties>
      <property name="run_id" value="${attribute(run.run_id)}"/>
      <property name="status" value="${attribute(run.status)}"/>
    </properties>
${cases.map(({ xml }) => `${xml}\n`).join('')}  </testsuite>
</testsuites>
`;
}

interface Case {
  readonly type: 'passed' | 'failure' | 'error' | 'skipped';
  readonly xml: string;
}

/** The steps inside a step that completed in spite of what they did. */
function insideCompleted(steps: readonly ReportedStep[]): ReadonlySet<ReportedStep> {
  let completedAt = Number.POSITIVE_INFINITY;
  return new Set(
    steps.filter(({ depth, holds, status }) => {
      if (depth > completedAt) return true;
      completedAt = holds === true && status === 'completed' ? depth : Number.POSITIVE_INFINITY;
      return false;
    }),
  );
}

function caseOf(step: ReportedStep, title: string, isSettled: boolean): Case {
  const head = `    <testcase name="${attribute(nameOf(step))}" classname="${attribute(title)}" time="${seconds(step.duration_ms ?? 0)}"`;
  const message = step.error?.message ?? step.outcome ?? step.status;
  switch (step.status) {
    case 'completed':
      if (shownStatus(step) === UNVERIFIED) return skipped(head, UNVERIFIED_TEXT);
      return { type: 'passed', xml: `${head}/>` };
    case 'failed':
      return isSettled || step.failure_allowed === true
        ? skipped(head, `failed, and the run continued: ${message}`)
        : problem('failure', head, { type: step.error?.type ?? 'failed', message, text: tails(step) });
    case 'skipped':
      return skipped(head, (step.decisions ?? []).join('; ') || 'skipped');
    case 'cancelled':
      return isSettled ? skipped(head, 'stopped, and the run continued') : interrupted(head, step.status);
    default:
      return interrupted(head, step.status);
  }
}

function interrupted(head: string, status: string): Case {
  return problem('error', head, { type: status, message: status, text: '' });
}

/** A failure of the run that no step has. */
function ownCase(run: RunReport['run']): readonly Case[] {
  if (run.error === undefined || run.error.step !== undefined) return [];
  const head = `    <testcase name="${attribute(run.run_id)}" classname="${attribute(run.title)}" time="0"`;
  return [problem('failure', head, { ...run.error, text: '' })];
}

function skipped(head: string, message: string): Case {
  return {
    type: 'skipped',
    xml: `${head}>\n      <skipped message="${attribute(message)}"/>\n    </testcase>`,
  };
}

function problem(
  type: 'failure' | 'error',
  head: string,
  why: { readonly type: string; readonly message: string; readonly text: string },
): Case {
  const open = `<${type} type="${attribute(why.type)}" message="${attribute(why.message)}"`;
  const body = why.text === '' ? `${open}/>` : `${open}>${escaped(why.text)}</${type}>`;
  return { type, xml: `${head}>\n      ${body}\n    </testcase>` };
}

function tails({ error }: ReportedStep): string {
  const lines = (['stderr', 'stdout'] as const).flatMap((stream) => {
    const tail = lastLines(error?.[`${stream}_tail`] ?? '', TAIL_LINES);
    return tail.length === 0 ? [] : [`last lines of ${stream}:`, ...tail];
  });
  return lines.join('\n');
}

function seconds(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}

function attribute(text: string): string {
  return escaped(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

const ENTITIES: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Without characters that XML does not allow. */
function escaped(text: string): string {
  return visible(text)
    .replace(/[\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}
