import type { Depth } from '../mode.ts';
import type { Place } from './place.ts';

const LOOK: { readonly [Name in Depth]: string } = {
  quick: 'Look quickly: see that what each requirement asks for exists. Read no more than you need to tell.',
  standard:
    'Look as a careful reviewer: read what was made for each requirement, and run the tests and checks that the project has.',
  deep: 'Look as closely as you can: read every file that was made or changed, run every test and check, try the edge cases, and look for what was forgotten.',
};

/** Asks for a report whose marks a program can read. */
export function verificationPrompt(asked: {
  readonly instructions: string;
  readonly depth: Depth;
  readonly place: Place;
  readonly reportPath: string;
}): string {
  const { projectRoot, workspacePath } = asked.place;
  return `Verify whether a task is complete. You check; you do not repair: change no file but the report.

The project is in ${projectRoot}, the task's own folder is ${workspacePath}. These are the instructions of the task, between the lines:

---
${asked.instructions}
---

${LOOK[asked.depth]} Believe nothing that a status file, a list or a comment claims: look for yourself. A requirement that you cannot confirm is not met.

Write your report to ${asked.reportPath}, as Markdown in exactly this form:

# Verification Report

**Status**: one of \`✅ VERIFIED COMPLETE\`, \`❌ INCOMPLETE\`, \`⚠️ NEEDS REVIEW\`
**Confidence Level**: High, Medium or Low
**Recommended Action**: one sentence

## Summary

One paragraph: what was asked, what is there, what is missing.

### Requirements Met

1. requirement: where it is met

### Incomplete Requirements

1. requirement: what is missing, and where

Use the mark \`✅ VERIFIED COMPLETE\` only when every requirement is met, and write only the one mark that holds. Leave out the list of incomplete requirements when there are none.
`;
}

export const VERIFICATION_SYSTEM =
  'You are a strict and honest reviewer of finished work. You report what you saw, with places, and never what you assume.';
