import type { Place } from './place.ts';
import { at, type Words, words } from './words.ts';

/** Seven required criteria and three recommended ones. */
const CRITERIA = {
  required: [
    ['Clear goal', 'it is clear what to achieve'],
    ['Defined scope', 'it is clear what belongs to the task and what does not'],
    ['Completion criteria', 'it can be checked whether the task is complete'],
    ['Discrete steps', 'the work can be split into items that are done one at a time'],
    ['Named inputs', 'files, folders and sources are named and can be found'],
    ['No questions left', 'no one has to be asked during the work'],
    ['No contradictions', 'no two requirements exclude each other'],
  ],
  recommended: [
    ['Checks', 'commands or tests show whether the work is correct'],
    ['Edge cases', 'errors and unusual cases are covered'],
    ['Examples', 'there is an example of a good result'],
  ],
} as const;

export function validationPrompt(asked: {
  readonly instructions: string;
  readonly place: Place;
  readonly reportPath: string;
}): Words {
  const rows = (list: readonly (readonly [string, string])[], from: number): string =>
    list.map(([name, what], index) => `${from + index}. ${name}: ${what}`).join('\n');
  return words`Assess whether the instructions for a task are good enough for an agent that works alone, in many sessions, with no one to ask. Only assess them: change no file except the report.

The project is in ${at(asked.place.projectRoot)}. These are the instructions, between the two lines:

---
${asked.instructions}
---

Required criteria:
${rows(CRITERIA.required, 1)}

Recommended criteria:
${rows(CRITERIA.recommended, CRITERIA.required.length + 1)}

Write your report to ${at(asked.reportPath)}, as Markdown in this form:

# Validation Report

**Result**: \`✅ READY\` if 1 to 7 are all met, otherwise \`❌ NOT READY\`
**Score**: how many of 10 are met, as n/10

## Summary

One paragraph.

## Criteria

1. ✅ or ❌ Clear goal: why
(and so on for all ten, in this order)

## Suggestions

1. what to change in the instructions, with suggested wording
`;
}

export const VALIDATION_SYSTEM =
  'You are an experienced editor of work instructions. Be precise and concise.';
