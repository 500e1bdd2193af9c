import { findStep } from '../step-members.ts';
import { type Check, called, stepsOf } from './rule.ts';

/** Only an agent step has a conversation to continue. */
export function checkConversations(check: Check): void {
  const { places } = check.file;
  for (const place of stepsOf(check)) {
    for (const key of ['continue_from', 'fork_from'] as const) {
      const name = place.step[key];
      if (name === undefined || name === '') continue;
      const range = () => places.valueRange(place.step, key);
      const reader = called(place.step);
      const step = findStep(check, {
        reader,
        scope: place.scope,
        path: { name, member: 'session_id', rest: [] },
        range,
      });
      if (step === undefined || step.provider !== undefined) continue;
      check.report.error('workflow/not-an-agent-step', range(), {
        message: `${reader} continues from \`${name}\`, which is not an agent step and has no conversation`,
        related: [{ message: `\`${name}\` is defined here`, range: places.valueRange(step, 'name') }],
      });
    }
  }
}
