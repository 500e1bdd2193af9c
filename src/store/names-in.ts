import fs from 'node:fs';
import { errnoOf } from './errno.ts';

/** What is in a folder, sorted; nothing where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}
