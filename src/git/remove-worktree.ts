import fs from 'node:fs';
import { basename, join } from 'node:path';
import { realPath } from '../store/own-path.ts';
import { removeFolder } from '../store/remove-folder.ts';
import type { Git } from './git.ts';

/**
 * Removes the folder of a worktree and git's record of it, also of one that was being made when its process was killed: git then keeps the
 * record locked, and `git worktree prune` leaves it. Branches stay.
 */
export async function removeWorktree(
  git: Git,
  { folder, home }: { readonly folder: string; readonly home: { readonly commonDir: string } },
): Promise<void> {
  if (fs.existsSync(folder)) {
    await git(['worktree', 'remove', '--force', '--force', folder]);
    removeFolder(folder);
  }
  const record = join(realPath(home.commonDir), 'worktrees', basename(folder));
  if (fs.existsSync(record)) removeFolder(record);
  for (const left of [`${folder}.scratch`, `${folder}.scratch.index`, `${folder}.scratch.index.lock`])
    fs.rmSync(left, { recursive: true, force: true });
}
