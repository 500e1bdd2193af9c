import fs from 'node:fs';

/** A write may take fewer bytes than it was given, without an error: this one goes on until all are taken. */
export function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += fs.writeSync(fd, bytes, written, bytes.length - written);
  }
}

/** A name that was made, replaced or removed in a folder survives a power loss only after this. */
export function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
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
