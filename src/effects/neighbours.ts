import fs from 'node:fs';
import { join } from 'node:path';
import { heldBy } from '../store/lock.ts';
import type { Neighbours } from './git-contracts.ts';

/** Whether others are at work in the same tree: one of their locks is held. */
export function isShared(neighbours: Neighbours | undefined): boolean {
  if (neighbours === undefined) return false;
  const { folder, lock, except } = neighbours;
  return foldersIn(folder).some((name) => name !== except && heldBy(join(folder, name, lock)) !== undefined);
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = fs.readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
