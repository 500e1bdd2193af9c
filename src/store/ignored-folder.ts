import fs from 'node:fs';
import { placeFile } from './atomic-write.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Creates a folder for files that may contain what agents were sent: git ignores its contents. Only for a new folder, so a user who
 * removes the `.gitignore` to commit them keeps it removed. Throws disk errors.
 */
export function makeIgnoredFolder(folder: string): void {
  const isNew = !fs.existsSync(folder);
  makeFolder(folder);
  if (isNew) placeFile(`${folder}/.gitignore`, '*\n', { mode: 0o644, mayBeLost: true });
}
