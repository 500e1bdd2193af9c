import fs from 'node:fs';
import { textOf } from './text-of.ts';

/**
 * Standard input as text. Creating `process.stdin` costs more than the rest of a hook, so this uses the Node functions that
 * load fastest.
 */
export function readInput(): string {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let length = 0;
  for (;;) {
    if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
    try {
      const read = fs.readvSync(0, [
        new Uint8Array(bytes.buffer, bytes.byteOffset + length, bytes.length - length),
      ]);
      if (read === 0) break;
      length += read;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  return textOf(bytes, 0, length);
}
