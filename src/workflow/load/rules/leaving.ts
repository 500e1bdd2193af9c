import { loopItems } from '../step-index.ts';
import { type Check, called, stepsOf } from './rule.ts';

/** A `break` needs a loop to leave. `finally` is the end of the run already. */
export function checkLeaving(check: Check): void {
  const { places } = check.file;
  for (const { step, scope } of stepsOf(check)) {
    if (step.break !== undefined && loopItems(scope).length === 0) {
      check.report.error('workflow/break-outside-loop', places.keyRange(step, 'break'), {
        message: `${called(step)} has \`break\`, but is not inside a loop`,
        help: '`break` leaves a `for_each` or `repeat`; use `end` to end the workflow, or `goto: _end` to end the list of steps',
      });
    }
    let outermost = scope;
    while (outermost.parent !== undefined && outermost.owner !== undefined) outermost = outermost.parent;
    if (step.end !== undefined && outermost === check.file.index.outermost) {
      check.report.error('workflow/end-in-finally', places.keyRange(step, 'end'), {
        message: `${called(step)} has \`end\`, but the workflow is ending already when \`finally\` runs`,
        help: 'let a step of `finally` fail to report a failure',
      });
    }
    if ((step.break ?? step.end) !== undefined && step.on !== undefined) {
      check.report.warning('workflow/no-effect', places.keyRange(step, 'on'), {
        message: `\`on\` has no effect on ${called(step)}, because nothing follows it`,
      });
    }
  }
}
