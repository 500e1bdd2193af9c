/**
 * The names of the effects. A `step` does work that users regard as a step: it is shown, timed and counted. An `aid` looks something up for
 * a step, saves something or cleans up, and appears only in the journal.
 */
export const EFFECTS = {
  'run-command': 'step',
  'run-agent': 'step',
  'run-tool': 'step',
  'run-function': 'step',
  'wait-for-files': 'step',
  'find-files': 'aid',
  'stamp-files': 'aid',
  'check-proof': 'aid',
  'move-file': 'aid',
  'read-file': 'aid',
  'write-file': 'aid',
  'append-line': 'aid',
  'update-document': 'aid',
  'digest-tree': 'aid',
  'empty-folder': 'aid',
  'archive-folder': 'aid',
  'read-cache': 'aid',
  'write-cache': 'aid',
  remember: 'aid',
  'add-tasks': 'aid',
  'read-tasks': 'aid',
  'watch-tasks': 'aid',
  'refresh-session': 'aid',
  'snapshot-tree': 'aid',
  'commit-changes': 'aid',
  'switch-branch': 'aid',
  'open-worktree': 'aid',
  'commit-worktree': 'aid',
  'merge-worktree': 'aid',
  'discard-worktree': 'aid',
  'change-phases': 'aid',
  note: 'aid',
} as const;

export type EffectName = keyof typeof EFFECTS;

/** `effect` is a name from a journal; unknown names, from newer versions, are not shown. */
export function isShown(effect: string): boolean {
  return SHOWN.includes(effect);
}

/** A list: comparing a few names is ten times faster than looking up a text that was just parsed. */
const SHOWN: readonly string[] = Object.keys(EFFECTS).filter(
  (name) => EFFECTS[name as EffectName] === 'step',
);

/** Whether a call of it may have cost something, even if it did not finish. */
export function mayCost(effect: string): boolean {
  return effect === 'run-agent';
}
