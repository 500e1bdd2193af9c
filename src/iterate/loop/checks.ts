import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { type StepKey, stepKey } from '../../model/ids.ts';
import { quoteWords } from '../../template/quote.ts';
import type { FailedCheck } from '../prompts/findings.ts';

const CHECK_TIMEOUT_MS = 30 * 60_000;

/** Runs every check, so that one failure does not hide another. */
export async function failedChecks(
  durable: OrchestrateDurable,
  key: StepKey,
  checks: readonly (readonly string[])[],
): Promise<readonly FailedCheck[]> {
  const failed: FailedCheck[] = [];
  for (const [index, argv] of checks.entries()) {
    const { output } = await durable.step(stepKey(key, `check-${index + 1}`), 'run-command', {
      argv,
      capture: 'text',
      timeoutMs: CHECK_TIMEOUT_MS,
    });
    if (output.failure === undefined) continue;
    const said = [output.stdoutTail, output.stderrTail].filter((tail) => tail !== undefined && tail !== '');
    failed.push({ command: quoteWords(argv), how: describeFailure(output.failure), output: said.join('\n') });
  }
  return failed;
}
