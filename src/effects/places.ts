/**
 * Where an effect runs if a run uses several machines, and whether it may change files of the workspace. Work that takes long or needs a
 * machine's tools goes to a worker; what belongs to the run itself stays at home, with its journal.
 */
import type { EffectName } from '../model/effect.ts';

export interface EffectPlace {
  readonly place: 'home' | 'worker';
  readonly writes: boolean;
}

const READS_AT_HOME: EffectPlace = { place: 'home', writes: false };
const WRITES_AT_HOME: EffectPlace = { place: 'home', writes: true };
const WRITES_ANYWHERE: EffectPlace = { place: 'worker', writes: true };

export const EFFECT_PLACES: { readonly [name in EffectName]: EffectPlace } = {
  'run-command': WRITES_ANYWHERE,
  'run-agent': WRITES_ANYWHERE,
  'run-tool': WRITES_ANYWHERE,
  // A function is not data: it runs in the program's process.
  'run-function': WRITES_AT_HOME,
  'wait-for-files': { place: 'worker', writes: false },
  // Its commands may write.
  'check-proof': WRITES_ANYWHERE,
  'find-files': READS_AT_HOME,
  'stamp-files': READS_AT_HOME,
  'move-file': WRITES_AT_HOME,
  'read-file': READS_AT_HOME,
  'write-file': WRITES_AT_HOME,
  'append-line': WRITES_AT_HOME,
  'update-document': WRITES_AT_HOME,
  'digest-tree': READS_AT_HOME,
  'empty-folder': WRITES_AT_HOME,
  'archive-folder': WRITES_AT_HOME,
  'read-cache': WRITES_AT_HOME,
  'write-cache': READS_AT_HOME,
  remember: WRITES_AT_HOME,
  'add-tasks': WRITES_AT_HOME,
  'read-tasks': READS_AT_HOME,
  'watch-tasks': READS_AT_HOME,
  'refresh-session': WRITES_AT_HOME,
  'snapshot-tree': READS_AT_HOME,
  'commit-changes': WRITES_AT_HOME,
  'switch-branch': WRITES_AT_HOME,
  'open-worktree': WRITES_AT_HOME,
  'commit-worktree': WRITES_AT_HOME,
  'merge-worktree': WRITES_AT_HOME,
  'discard-worktree': WRITES_AT_HOME,
  'change-phases': WRITES_AT_HOME,
  note: READS_AT_HOME,
};
