/** Put before the next prompt when the agent said that the task was complete and it was not. */

export interface FailedCheck {
  readonly command: string;
  readonly how: string;
  readonly output: string;
}

export function checkFindings(checks: readonly FailedCheck[]): string {
  const blocks = checks.map(({ command, how, output }) => {
    const said = output.trim();
    return `\`${command}\`: ${how}${said === '' ? '' : `\n\n\`\`\`\n${said}\n\`\`\``}`;
  });
  return `# The task is not complete yet

It was reported as complete, and these checks failed. Put right what they show before anything else. Do not change the checks themselves.

${blocks.join('\n\n')}`;
}

export function verificationFindings(report: {
  readonly summary: string;
  readonly issues: readonly string[];
  readonly reportPath: string;
}): string {
  const issues =
    report.issues.length === 0
      ? ''
      : `\n\n${report.issues.map((issue, index) => `${index + 1}. ${issue}`).join('\n')}`;
  const summary = report.summary === '' ? '' : `\n\n${report.summary}`;
  return `# The task is not complete yet

It was reported as complete, and a verification did not confirm that. The whole report is in ${report.reportPath}. Put this right before anything else, and only then report the task as complete again.${summary}${issues}`;
}
