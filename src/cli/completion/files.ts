import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Candidate } from './candidates.ts';

export type FileKind = 'any' | 'workflow' | 'folder';

const MOST = 500;

/** Files and folders that start like this; a folder ends in `/`. Hidden ones only if the name that is typed starts with a dot. */
export function filesAt(typed: string, kind: FileKind): readonly Candidate[] {
  const name = typed.endsWith('/') ? '' : basename(typed);
  const folder = typed.endsWith('/') ? typed : typed.includes('/') ? `${dirname(typed)}/` : '';
  // `dirname('/x')` is `/` already.
  const before = folder === '//' ? '/' : folder;
  return entriesOf(before === '' ? '.' : before)
    .filter((entry) => entry.name.startsWith(name) && (name.startsWith('.') || !entry.name.startsWith('.')))
    .flatMap((entry): readonly Candidate[] => {
      const value = `${before}${entry.name}`;
      if (isFolder(value, entry)) return [{ value: `${value}/` }];
      return kind === 'any' || (kind === 'workflow' && /\.ya?ml$|\.workflow\.m?[jt]s$/.test(entry.name))
        ? [{ value }]
        : [];
    })
    .slice(0, MOST);
}

function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isFolder(path: string, entry: fs.Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
