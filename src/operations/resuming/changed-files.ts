/** Files that have changed since a run recorded their digests, and how that is said. */
import type { ReplayDivergence } from '../../code/replay/check-replay.ts';
import type { RunId } from '../../model/ids.ts';
import type { SourceDigest } from '../../workflow/load/load-workflow.ts';
import type { WorkflowInput } from '../../workflow/run/program.ts';
import type { Problem } from '../problem.ts';

/** Those that are new, gone or different. */
export function changedFiles(
  before: readonly SourceDigest[],
  now: readonly SourceDigest[],
): readonly string[] {
  const digests = (list: readonly SourceDigest[]) => new Map(list.map(({ file, digest }) => [file, digest]));
  const [old, current] = [digests(before), digests(now)];
  return [...new Set([...old.keys(), ...current.keys()])].filter(
    (file) => old.get(file) !== current.get(file),
  );
}

export function changeNote(changed: readonly string[], isAccepted: boolean): string {
  const files =
    changed.length === 1 ? `\`${changed[0]}\` has changed` : `the program changed in ${changed.length} files`;
  return isAccepted ? `${files}; recorded answers are kept` : `${files}; what is done fits`;
}

export function unfitting(
  runId: RunId,
  { definition, programs = [] }: WorkflowInput,
  divergence: ReplayDivergence,
): Problem {
  const file = programs.length === 1 ? programs[0]?.file : undefined;
  return { type: 'program-does-not-fit', runId, file: file ?? definition.file, divergence };
}

const SHOWN = 5;

/** One note, if there is something to say. */
export function askedDifferently(keys: readonly string[]): readonly string[] {
  if (keys.length === 0) return [];
  const shown = keys.slice(0, SHOWN).map((key) => `\`${key}\``);
  const more = keys.length > SHOWN ? ` and ${keys.length - SHOWN} more` : '';
  const results = keys.length === 1 ? 'its result is' : 'their results are';
  return [`${shown.join(', ')}${more} would now be asked something else; ${results} kept`];
}
