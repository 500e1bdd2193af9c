/** Problems with phases and the hooks of an agent. */
import { advice, command } from '../../model/advice.ts';
import { form, said } from '../../model/problem-form.ts';
import { onOneLine } from '../../phases/refusals.ts';

interface WithReason {
  readonly reason: string;
}

export const phaseProblems = () => ({
  'phase-failed': form(
    'conflict',
    ({
      phase,
      reason,
      runId,
    }: WithReason & { readonly phase: string; readonly runId?: string | undefined }) =>
      said(onOneLine(`\`${phase}\` failed: ${reason}`), [
        ...advice`retry it with ${{ operation: 'change-phase', change: 'retry', phase }} and ${command('phases run')}`,
        ...(runId === undefined ? [] : advice`; what its run says: ${{ operation: 'show-run', run: runId }}`),
      ]),
  ),
  'empty-phases-task': form('invalid', () => said('the task is empty')),
  'unreadable-phases-file': form('invalid', ({ reason }: WithReason) => said(reason)),
  'invalid-phases-file': form('invalid', ({ file, reason }: WithReason & { readonly file: string }) =>
    said(`\`${file}\` cannot be used: ${reason}`),
  ),
  'invalid-phases': form('invalid', ({ faults }: { readonly faults: readonly string[] }) =>
    said(faults.join('; ')),
  ),
  'invalid-phases-plan': form('failed', ({ faults }: { readonly faults: readonly string[] }) =>
    said(`the agent's plan cannot be used: ${faults.join('; ')}`),
  ),
  'invalid-phases-agent': form('invalid', ({ reason }: WithReason) =>
    said(`\`--agent\` cannot be used: ${reason}`),
  ),

  'not-our-program': form('invalid', ({ program }: { readonly program: string }) =>
    said(`\`${program}\` does not end in \`orchestrate\``),
  ),
  'program-not-on-path': form(
    'invalid',
    ({ program, scope }: { readonly program: string; readonly scope: string }) =>
      said(
        `\`${program}\` is not on PATH, and the ${scope} settings are shared: the path of this program may not exist elsewhere`,
        `install it with \`npm install --global orchestrate-run\`, or use \`${program} hook install --scope local\``,
      ),
  ),
  'invalid-agent-settings': form('invalid', ({ reason }: WithReason) => said(reason)),
});
