/** Creates `.orchestrate` in a workspace. Git ignores what is in it: runs are not source code and may hold what agents were sent. */
import fs from 'node:fs';
import { placeFile } from './atomic-write.ts';
import { makeOneFolder } from './make-folder.ts';

/**
 * Only the first time: who removes the `.gitignore` to commit runs keeps it removed, and one that is there stays as it is. So it is on the disk,
 * complete, before `runs` is created.
 * Throws disk errors.
 */
export function makeOrchestrateFolder(folder: string): void {
  const isNew = !fs.existsSync(`${folder}/runs`);
  makeOneFolder(folder, 0o700);
  if (isNew) placeFile(`${folder}/.gitignore`, '*\n', { mode: 0o644 });
}
