import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';

/**
 * A write may take fewer bytes than it was given, without an error: this one goes on until all are taken. `writeSync` does the same as
 * `writevSync` of one part, and takes a tenth of a millisecond longer to be made ready.
 */
export function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += fs.writevSync(fd, [written === 0 ? bytes : bytes.subarray(written)]);
  }
}

/** A name that was made, replaced or removed in a folder survives a power loss only after this. */
export function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    closeFile(fd);
  }
}

/** A file that must not be there yet. */
export function writeNew(path: string, text: string, mode: number): void {
  const fd = fs.openSync(path, 'wx', mode);
  try {
    writeWhole(fd, Buffer.from(text));
  } finally {
    fs.closeSync(fd);
  }
}
