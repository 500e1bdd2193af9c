import fs from 'node:fs';
import { join } from 'node:path';
import type { RunSite } from '../engine/durable.ts';
import { heldBy } from '../store/lock.ts';
import type { Neighbours } from './git-contracts.ts';
import { pathAt } from './site-paths.ts';

/** Whether others are at work in the same tree: one of their locks is held. */
export function isShared(neighbours: Neighbours | undefined, run: RunSite): boolean {
  if (neighbours === undefined) return false;
  const { lock, except } = neighbours;
  const folder = pathAt(run, neighbours.folder);
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
