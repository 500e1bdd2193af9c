import fs from 'node:fs';
import { closeFile } from '../../model/close-file.ts';
import { openPlain } from '../../store/plain-file.ts';

/** Bytes `[from, to)`. */
export interface FilePart {
  readonly from: number;
  readonly to: number;
}

const CHUNK_BYTES = 64 * 1024;

/** Reads a file in pieces; a piece is valid until the next one is requested. */
export function* readLog(path: string, part?: FilePart): Generator<Buffer> {
  const fd = openPlain(path);
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (let at = part?.from ?? 0; ; ) {
      const wanted = Math.min(bytes.length, (part?.to ?? Number.POSITIVE_INFINITY) - at);
      const got = wanted <= 0 ? 0 : fs.readSync(fd, bytes, 0, wanted, at);
      if (got === 0) return;
      yield bytes.subarray(0, got);
      at += got;
    }
  } finally {
    closeFile(fd);
  }
}

/** Whether its first byte starts a JSON object, as the stream of an agent does. */
export function startsAsJson(path: string): boolean {
  for (const [first] of readLog(path, { from: 0, to: 1 })) return first === 0x7b;
  return false;
}

/** Current size; 0 if the file is gone, or if a link or a folder is in its place. */
export function logSize(path: string): number {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.size : 0;
}
