import fs from 'node:fs';
import { delimiter, join } from 'node:path';

/** The file that would be started for a program's name, by the folders of `PATH`; nothing where there is none. */
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
