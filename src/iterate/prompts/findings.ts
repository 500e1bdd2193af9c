/** Text put before the next prompt after a rejected claim of completion. */
import { at, type Words, words } from './words.ts';

export interface FailedCheck {
  readonly command: string;
  readonly how: string;
  readonly output: string;
}

export function checkFindings(checks: readonly FailedCheck[]): Words {
  const blocks = checks.map(({ command, how, output }) => {
    const said = output.trim();
    return `\`${command}\`: ${how}${said === '' ? '' : `\n\n\`\`\`\n${said}\n\`\`\``}`;
  });
  return words`# The task is not complete yet

It was reported as complete, but these checks failed. Fix these failures before anything else. Do not change the checks themselves.

${blocks.join('\n\n')}`;
}

export function answersText(
  answers: readonly { readonly question: string; readonly answer: string }[],
): Words {
  const blocks = answers.map(({ question, answer }) => `Question: ${question}\nAnswer: ${answer}`);
  return words`# Answers to your questions\n\nA person has answered. Remove these questions from \`blockers\`.\n\n${blocks.join('\n\n')}`;
}

export function statusFindings(problem: string, path: string): Words {
  return words`# Your status file could not be used

${at(path)} is not what was asked for: ${problem}. Write the whole file again, in the form that is described below.`;
}

export function verificationFindings(report: {
  readonly summary: string;
  readonly issues: readonly string[];
  readonly reportPath: string;
}): Words {
  const issues =
    report.issues.length === 0
      ? ''
      : `\n\n${report.issues.map((issue, index) => `${index + 1}. ${issue}`).join('\n')}`;
  const summary = report.summary === '' ? '' : `\n\n${report.summary}`;
  return words`# The task is not complete yet

It was reported as complete, but the verification did not confirm that. The full report is in ${at(report.reportPath)}. Fix these issues before anything else, and only then report the task as complete again.${summary}${issues}`;
}
