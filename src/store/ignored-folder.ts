import { placeFile } from './atomic-write.ts';
import { makeFolder } from './make-folder.ts';
import { namesIn } from './names-in.ts';

/**
 * Creates a folder for files that may contain what agents were sent: git ignores its contents. Only while nothing is in it, so a user who
 * removes the `.gitignore` to commit them keeps it removed, and a killed process or a power loss leaves no folder without one. Throws disk errors.
 */
export function makeIgnoredFolder(folder: string): void {
  makeFolder(folder);
  const isEmpty = namesIn(folder).every((name) => name.startsWith('.') && name !== '.gitignore');
  if (isEmpty) placeFile(`${folder}/.gitignore`, '*\n', { mode: 0o644 });
}
