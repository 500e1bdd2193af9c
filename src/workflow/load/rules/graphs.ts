import { nearest } from '../../../model/suggest.ts';
import type { StepSource } from '../../schema/step.ts';
import { circlesIn } from '../needs.ts';
import { type Check, called, stepsOf } from './rule.ts';

/** `needs` names other steps of the same graph, without a circle. Their order comes from it alone: there is no goto. */
export function checkGraphs(check: Check): void {
  const { places } = check.file;
  for (const { step, scope } of stepsOf(check)) {
    const siblings = scope.node?.step === step ? scope.names : undefined;
    if (siblings !== undefined) {
      checkNeeds(check, step, siblings);
      if (step.on !== undefined) {
        check.report.error('workflow/goto-in-graph', places.keyRange(step, 'on'), {
          message: `${called(step)} has \`on\`, but there is no goto in a \`graph\``,
          help: 'use `needs` for the order, `when` to skip a step, and `allow_failure` to continue after a failure',
        });
      }
    } else if (step.needs !== undefined) {
      check.report.error('workflow/needs-outside-graph', places.keyRange(step, 'needs'), {
        message: `${called(step)} has \`needs\`, but is not a step of a \`graph\``,
        help: 'steps of a list run in order; put steps that depend on each other under `graph: {steps: […]}`',
      });
    }
    if (step.graph !== undefined) checkCircles(check, step.graph.steps);
  }
}

function checkNeeds(check: Check, step: StepSource, siblings: ReadonlyMap<string, StepSource>): void {
  const { places, index } = check.file;
  for (const [at, name] of (step.needs ?? []).entries()) {
    if (name === '' || siblings.has(name)) continue;
    const elsewhere = index.byName.get(name);
    const meant = nearest(
      name,
      [...siblings.keys()].filter((other) => other !== step.name),
    );
    check.report.error('workflow/unknown-need', places.valueRange(step.needs ?? [], at), {
      message:
        elsewhere === undefined
          ? `${called(step)} needs unknown step \`${name}\``
          : `${called(step)} needs \`${name}\`, which is not a step of the same \`graph\``,
      related:
        elsewhere === undefined
          ? undefined
          : [{ message: `\`${name}\` is defined here`, range: places.valueRange(elsewhere.step, 'name') }],
      help: meant === undefined ? undefined : `did you mean \`${meant}\`?`,
    });
  }
}

function checkCircles(check: Check, steps: readonly StepSource[]): void {
  const byName = new Map(steps.map((step) => [step.name, step]));
  for (const circle of circlesIn(steps)) {
    const [first = '', second = ''] = circle;
    const step = byName.get(first);
    const needs = step?.needs ?? [];
    check.report.error(
      'workflow/circular-needs',
      check.file.places.valueRange(needs, needs.indexOf(second)),
      {
        message: `circular \`needs\`: ${circle.map((name) => `\`${name}\``).join(' → ')}`,
        help: 'remove one of them; no step of a circle could ever start',
      },
    );
  }
}
