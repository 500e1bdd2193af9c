import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import { openPlain } from './plain-file.ts';

/** The contents of a file survive a power loss after this. */
export function syncFile(path: string): void {
  const fd = openPlain(path);
  try {
    fs.fsyncSync(fd);
  } finally {
    closeFile(fd);
  }
}
