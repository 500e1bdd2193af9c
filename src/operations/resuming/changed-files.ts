/** Files of a program that has changed since a run recorded their digests. */
import type { ReplayDivergence } from '../../code/replay/check-replay.ts';
import type { SourceDigest } from '../../workflow/load/load-workflow.ts';

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

/** Whether recorded answers can be kept for what the program asks for now. */
export function canBeAccepted({ type }: ReplayDivergence): boolean {
  return type !== 'other-effect' && type !== 'threw';
}
