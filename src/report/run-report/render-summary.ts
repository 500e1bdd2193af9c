import { countText, durationText, spendingText } from '../../model/amounts.ts';
import { countsOf, stepsText } from '../text/run-words.ts';
import { errorSection, escaped, questionSection, stepSection } from './render-markdown.ts';
import type { RunReport } from './run-report.ts';
import { statusMark } from './words.ts';

const FAILURES_SHOWN = 20;
const STEPS_SHOWN = 100;

/** The summary of a job in GitHub Actions: what a reviewer wants to know first. A summary may be 1 MiB. */
export function renderSummary(report: RunReport): string {
  const { run, totals } = report;
  const cost = spendingText(totals);
  const facts = [
    stepsText(countsOf(totals)),
    durationText(run.duration_ms),
    ...(cost === undefined ? [] : [`${cost} (${countText(totals.agent_calls, 'agent call')})`]),
  ];
  const sections = [
    `# ${statusMark(run.status)} ${escaped(run.title)}: ${run.status}`,
    `${escaped(facts.join(', '))}. Run ${escaped(run.run_id)}.`,
    errorSection(report, FAILURES_SHOWN),
    questionSection(report),
    `<details>\n\n${stepSection(report, STEPS_SHOWN).replace(/^## Steps/, '<summary>Steps</summary>')}\n\n</details>`,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n\n`;
}
