import type { Depth } from '../mode.ts';
import type { Place } from './place.ts';
import { at, type Words, words } from './words.ts';

const LOOK: { readonly [Name in Depth]: string } = {
  quick: 'Check quickly: see whether each requirement has been implemented. Read no more than you need.',
  standard:
    'Check like a careful reviewer: read the implementation of each requirement, and run the tests and checks that the project has.',
  deep: 'Check as thoroughly as you can: read every file that was created or changed, run every test and check, try the edge cases, and look for omissions.',
};

/** Asks for a report with markers that a program can read. */
export function verificationPrompt(asked: {
  readonly instructions: string;
  readonly depth: Depth;
  readonly place: Place;
  readonly reportPath: string;
}): Words {
  const { projectRoot, workspacePath } = asked.place;
  return words`Verify whether a task is complete. Only check, do not fix anything: change no file except the report.

The project is in ${at(projectRoot)}, the task's own folder is ${at(workspacePath)}. These are the instructions for the task, between the two lines:

---
${asked.instructions}
---

${LOOK[asked.depth]} Do not trust claims in status files, lists or comments: check for yourself. A requirement that you cannot confirm is not met.

Write your report to ${at(asked.reportPath)}, as Markdown in exactly this form:

# Verification Report

**Status**: one of \`✅ VERIFIED COMPLETE\`, \`❌ INCOMPLETE\`, \`⚠️ NEEDS REVIEW\`
**Confidence Level**: High, Medium or Low
**Recommended Action**: one sentence

## Summary

One paragraph: what was required, what is done, what is missing.

### Requirements Met

1. requirement: where it is met

### Incomplete Requirements

1. requirement: what is missing, and where

Use \`✅ VERIFIED COMPLETE\` only if every requirement is met, and write exactly one of the markers. Leave out the list of incomplete requirements if there are none.
`;
}

export const VERIFICATION_SYSTEM =
  'You are a strict and honest reviewer of finished work. Report what you have seen, with file and line, and never what you assume.';
