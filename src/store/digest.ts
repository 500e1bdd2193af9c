import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import type { JsonValue } from '../model/json.ts';
import { createSha256, sha256 } from '../model/sha256.ts';
import { openPlain } from './plain-file.ts';

const READ_BYTES = 1 << 20;

/** Returns the same text for the same data, whatever the order of its keys. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`);
  return `{${members.join(',')}}`;
}

export function digestOfText(text: string): string {
  return sha256(text);
}

/** The path must not contain a link (F1 of plain-file.ts). */
export function digestOfPath(path: string): string {
  const fd = openPlain(path);
  try {
    return digestOfFile(fd);
  } finally {
    closeFile(fd);
  }
}

/** The digest of an open file from its start; memory does not grow with the file. */
export function digestOfFile(fd: number): string {
  const hash = createSha256();
  const bytes = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; ; ) {
    const got = fs.readSync(fd, bytes, 0, bytes.length, at);
    if (got === 0) return hash.digest('hex');
    hash.update(bytes.subarray(0, got));
    at += got;
  }
}
