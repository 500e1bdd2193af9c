import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { type StepKey, stepKey } from '../../model/ids.ts';
import { quoteWords } from '../../template/quote.ts';
import type { FailedCheck } from '../prompts/findings.ts';
import { withinTime } from './limits.ts';
import type { LoopState } from './loop-state.ts';

/** For runs that did not record the setting. */
const CHECK_TIMEOUT_MS = 30 * 60_000;

/** Runs every check, so that one failure does not hide another. */
export async function failedChecks(state: LoopState, key: StepKey): Promise<readonly FailedCheck[]> {
  const failed: FailedCheck[] = [];
  for (const [index, argv] of state.input.checks.entries()) {
    const { output } = await state.durable.step(
      stepKey(key, `check-${index + 1}`),
      'run-command',
      {
        argv,
        capture: 'text',
        timeoutMs: state.input.checkTimeoutMs ?? CHECK_TIMEOUT_MS,
        ...defined({ cwd: state.cwd, sandbox: state.input.sandbox }),
      },
      withinTime(state),
    );
    if (output.failure === undefined) continue;
    const said = [output.stdoutTail, output.stderrTail].filter((tail) => tail !== undefined && tail !== '');
    failed.push({ command: quoteWords(argv), how: describeFailure(output.failure), output: said.join('\n') });
  }
  return failed;
}
