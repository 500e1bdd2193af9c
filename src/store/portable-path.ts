/** Paths in the data of a run: they hold on every machine that has the workspace, wherever it is there. */
import { isAbsolute, relative, resolve } from 'node:path';
import { isInside } from './relative-path.ts';

/** Relative to the workspace, `.` for itself; absolute only outside it. */
export function portablePath(workspace: string, path: string): string {
  return isInside(workspace, path) ? relative(workspace, path) || '.' : path;
}

/** The path on this machine. Journals of earlier versions have absolute ones. */
export function localPath(workspace: string, path: string): string {
  return resolve(workspace, path);
}

/** Whether one path in the data of a run is the other or inside it. */
export function isPartOf(folder: string, path: string): boolean {
  if (isAbsolute(path) !== isAbsolute(folder)) return false;
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith('../');
}
