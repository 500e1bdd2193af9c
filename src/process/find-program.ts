import fs from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program in the folders of `PATH`; undefined if there is none. */
export function findProgram(program: string, path: string | undefined): string | undefined {
  const candidates = program.includes('/')
    ? [program]
    : (path ?? '').split(delimiter).map((folder) => join(folder || '.', program));
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}
