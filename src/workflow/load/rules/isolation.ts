import { isolatedWork } from '../isolated-work.ts';
import { type Check, called, stepsOf } from './rule.ts';
import { kindsOf } from './step-kind.ts';

/** Kinds of step that change no files themselves. */
const WITHOUT_WORK: readonly string[] = ['wait_for', 'approve', 'break', 'end'];

/** `isolate` needs something to isolate, and its question needs a free name. */
export function checkIsolation(check: Check): void {
  const { places } = check.file;
  for (const { step, scope } of stepsOf(check)) {
    const [kind] = kindsOf(step);
    if (step.isolate !== undefined && kind !== undefined && WITHOUT_WORK.includes(kind)) {
      check.report.warning('workflow/no-effect', places.keyRange(step, 'isolate'), {
        message: `\`isolate\` has no effect on ${called(step)}, which is a \`${kind}\``,
      });
    }
    const around = scope.owner;
    if (around !== undefined && step.name === 'review' && isolatedWork(around)?.review === true) {
      check.report.error('workflow/reserved-name', places.valueRange(step, 'name'), {
        message: `step \`review\` is inside \`${around.name}\`, whose question about merging has this name`,
        help: 'rename the step',
      });
    }
    if (step.approve?.show === 'diff' && !isInIsolation(scope)) {
      check.report.error('workflow/no-diff', places.keyRange(step.approve, 'show'), {
        message: `${called(step)} shows a diff, but is not inside a step with \`isolate\``,
        help: 'put it into the steps of a `for_each`, `parallel` or `graph` with `isolate: worktree`',
      });
    }
  }
}

function isInIsolation(scope: {
  readonly owner?: Parameters<typeof isolatedWork>[0] | undefined;
  readonly parent?: unknown;
}): boolean {
  for (let at: typeof scope | undefined = scope; at !== undefined; at = at.parent as typeof scope | undefined)
    if (at.owner?.isolate !== undefined) return true;
  return false;
}
