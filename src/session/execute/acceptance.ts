/** Acceptance entries of the form `command: …` are run and must exit with 0; the others are recorded as claims of the agent. */
import { type StepKey, stepKey } from '../../model/ids.ts';
import { ACCEPTANCE_COMMAND } from '../check/check-flow-control.ts';
import { scriptOf } from '../document/command.ts';
import { runScript } from './run-script.ts';
import type { TaskWork, WorkFailure } from './task-state.ts';

export interface Proven {
  readonly check: string;
  readonly method: string;
}

export interface Rejected extends WorkFailure {
  /** What to report to the agent. */
  readonly findings: string;
}

/** `round` distinguishes the second check from the first. */
export async function checkAcceptance(
  work: TaskWork,
  round: 1 | 2,
): Promise<Rejected | { readonly proven: readonly Proven[] }> {
  const proven: Proven[] = [];
  for (const [index, entry] of work.task.acceptance.entries()) {
    if (!ACCEPTANCE_COMMAND.test(entry)) continue;
    const command = entry.replace(ACCEPTANCE_COMMAND, '');
    const first = work.steps.acceptance[index] as StepKey;
    const key = round === 1 ? first : stepKey(`${first}#2`);
    const end = await runScript(work, key, scriptOf(command) ?? command);
    if (end.failure !== undefined) {
      const said = [end.output.slice(-2000), end.stderrTail].filter((text) => text.trim() !== '').join('\n');
      return {
        failure: { type: 'unproven', reasons: [`\`${command}\` exited with code ${end.exitCode}`] },
        again: [key],
        findings: `The command \`${command}\` must exit with code 0, but exited with ${end.exitCode}.${said === '' ? '' : `\n\n\`\`\`\n${said}\n\`\`\``}`,
      };
    }
    proven.push({ check: command, method: 'run by the program, exit code 0' });
  }
  return { proven };
}
