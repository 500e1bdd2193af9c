/**
 * The names of the effects. A `step` does work that a person would call a step: it is shown, timed and counted. An `aid` looks something up for
 * a step, keeps something of it or clears up after it, and is only in the journal.
 */
export const EFFECTS = {
  'run-command': 'step',
  'run-agent': 'step',
  'run-tool': 'step',
  'wait-for-files': 'step',
  'find-files': 'aid',
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
  'refresh-session': 'aid',
  'snapshot-tree': 'aid',
  'commit-files': 'aid',
  'open-worktree': 'aid',
  'merge-worktree': 'aid',
  'discard-worktree': 'aid',
  'change-phases': 'aid',
  note: 'aid',
} as const;

export type EffectName = keyof typeof EFFECTS;

/** The name is as it stands in a journal; one that only a newer version knows is not shown. */
export function isShown(effect: string): boolean {
  return Object.hasOwn(EFFECTS, effect) && EFFECTS[effect as EffectName] === 'step';
}
