/**
 * What must hold for work in which the disk refused something, once it has been resumed.
 *
 * F1 The last run, and all its steps, end as in an undisturbed play.
 * F2 The results of the work are complete: outputs, moved tasks, answers, documents; except their records of failed attempts.
 *    If nothing could be written any more, not even which files are the program's own, one of them may be kept as a user's (V3).
 * F3 No process is left.
 */
import fs from 'node:fs';
import path from 'node:path';
import { differences } from '../kill-everywhere/differences.ts';
import { type Essence, essenceOf, essenceWithout } from '../kill-everywhere/essence.ts';
import { readJournals } from '../kill-everywhere/journal.ts';
import { expectNobodyLeft } from '../kill-everywhere/judge.ts';
import { Violation } from '../suite.ts';

export interface WorkDone {
  readonly essence: Essence;
  readonly steps: unknown;
}

export function workDone(folder: string): WorkDone {
  return { essence: essenceOf(folder), steps: lastSteps(folder) };
}

export async function expectDone(
  folder: string,
  expected: WorkDone,
  { lasts }: { readonly lasts: boolean },
): Promise<void> {
  const aside = lasts ? new RegExp(`${ASIDE.source}|${KEPT.source}`) : ASIDE;
  const found = [
    ...differences(expected.steps, lastSteps(folder)),
    ...differences(compared(expected.essence, aside), compared(essenceOf(folder), aside)),
  ];
  if (found.length > 0)
    throw new Violation({ expected: 'the result of undisturbed work (F1, F2)', found: found.join('\n') });
  await expectNobodyLeft(folder);
}

/** Status of the last run, and name → status of its steps. */
function lastSteps(folder: string): unknown {
  const last = readJournals(folder).at(-1);
  if (last === undefined) return undefined;
  const file = path.join(folder, '.orchestrate', 'runs', last.runId, 'state.json');
  const { status, steps } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return { status, steps: statusesIn(steps) };
}

function statusesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(statusesIn);
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Object.entries(value).filter(([name]) => name === 'status' || /^[A-Z]/.test(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === 'status' ? member : statusesIn(member)]),
  );
}

/** Records of failures, files rebuilt when needed, leftovers of dead processes, and a user's saved trust. */
const ASIDE =
  /^\.orchestrate\/|^\.config\/orchestrate\/|hook\.log$|\.log$|-history\.jsonl$|\.partial$|\.md$|(?:^|\/)(?:lock|[^/]*\.lock|\.[^/]+\.~[^/]+\.tmp)(?:$|\/)|\/$/;
const KEPT = /\.kept-\d+$/;
const TRIES = /^(?:attempts|status_history|execution|last_change|last_error|cost_usd|stopReason)$/;

function compared(essence: Essence, aside: RegExp): Essence {
  return essenceWithout(essence, { isAside: (place) => aside.test(place), members: TRIES });
}
