import type { Place } from './place.ts';

/** Seven that instructions must meet, three that they should. */
const CRITERIA = {
  required: [
    ['Clear goal', 'it is plain what is to be achieved'],
    ['Defined scope', 'it is plain what belongs to the task and what does not'],
    ['Completion criteria', 'it can be told, by looking, when the task is complete'],
    ['Discrete steps', 'the work can be cut into items that are done one at a time'],
    ['Named inputs', 'files, folders and sources are named so that they can be found'],
    ['No questions left', 'nobody has to be asked while the work is done'],
    ['No contradictions', 'no two sentences ask for things that exclude each other'],
  ],
  recommended: [
    ['Checks', 'commands or tests are named that show whether the work is right'],
    ['Edge cases', 'errors and unusual cases are spoken of'],
    ['Examples', 'there is an example of a good result'],
  ],
} as const;

export function validationPrompt(asked: {
  readonly instructions: string;
  readonly place: Place;
  readonly reportPath: string;
}): string {
  const rows = (list: readonly (readonly [string, string])[], from: number): string =>
    list.map(([name, what], index) => `${from + index}. ${name}: ${what}`).join('\n');
  return `Judge whether the instructions of a task are good enough for an agent that works alone, in many sessions, with nobody to ask. You judge; change no file but the report.

The project is in ${asked.place.projectRoot}. These are the instructions, between the lines:

---
${asked.instructions}
---

Criteria that they must meet:
${rows(CRITERIA.required, 1)}

Criteria that they should meet:
${rows(CRITERIA.recommended, CRITERIA.required.length + 1)}

Write your report to ${asked.reportPath}, as Markdown in this form:

# Validation Report

**Result**: \`✅ READY\` when all of 1 to 7 are met, else \`❌ NOT READY\`
**Score**: how many of 10 are met, as n/10

## Summary

One paragraph.

## Criteria

1. ✅ or ❌ Clear goal: why
(and so on for all ten, in this order)

## Suggestions

1. what to change in the instructions, with the words to write
`;
}

export const VALIDATION_SYSTEM =
  'You are an experienced editor of work instructions. You are exact, and short.';
