import fs from 'node:fs';
import { errnoOf } from './errno.ts';

/** The names in a folder, sorted; empty if there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}
