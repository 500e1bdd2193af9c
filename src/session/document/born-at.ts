import fs from 'node:fs';
import type { SessionPaths } from '../layout.ts';
import type { SessionFile } from './session-file.ts';

/** The best guess for a session whose document does not say: the oldest time of its folder and its document. */
export function bornAt(paths: SessionPaths): string {
  const times = [paths.folder, paths.session].flatMap((path) => {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [stat.birthtimeMs, stat.mtimeMs].filter((time) => time > 0);
  });
  return new Date(Math.min(...times)).toISOString();
}

/** A document of another tool may lack its dates. */
export function withDates(paths: SessionPaths, file: SessionFile): SessionFile {
  if (file.created_at !== '' && file.updated_at !== '') return file;
  const created_at = file.created_at === '' ? bornAt(paths) : file.created_at;
  return { ...file, created_at, updated_at: file.updated_at === '' ? created_at : file.updated_at };
}
