import fs from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program in the folders of `PATH`; undefined if there is none. */
export function findProgram(program: string, path: string | undefined): string | undefined {
  const candidates = program.includes('/') ? [program] : placesInPath(program, path);
  return candidates.find(isExecutable);
}

/** Whether a folder of `PATH` has a file of this name, executable or not. */
export function isInPath(name: string, path: string | undefined): boolean {
  return placesInPath(name, path).some((place) => fs.existsSync(place));
}

function placesInPath(name: string, path: string | undefined): readonly string[] {
  return (path ?? '').split(delimiter).map((folder) => join(folder || '.', name));
}

function isExecutable(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}
