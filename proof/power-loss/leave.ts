/** Makes a folder what a power loss has left of another. */
import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { FileLeft } from './disk.ts';

/** `from` and `to` are of one length, so nothing moves within a file; what has a checksum gets a new one. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
}

export function leave(left: readonly FileLeft[], relocation: Relocation): void {
  const inodes = new Map<number, number>();
  const place = (name: string): string => path.join(relocation.to, name);
  const made = new Map<Buffer, string>();
  for (const { path: name, contents, inode } of left) {
    if (contents === 'folder') fs.mkdirSync(place(name), { recursive: true });
    else if (!Buffer.isBuffer(contents))
      fs.symlinkSync(contents.link.replaceAll(relocation.from, relocation.to), place(name));
    else {
      // Two names of one file.
      const twin = made.get(contents);
      if (twin !== undefined) fs.linkSync(twin, place(name));
      else fs.writeFileSync(place(name), relocated(contents, relocation));
      made.set(contents, place(name));
      if (inode !== undefined) inodes.set(inode, fs.statSync(place(name)).ino);
    }
  }
  for (const { path: name } of left) if (name.endsWith('/moves.jsonl')) renumber(place(name), inodes);
}

function relocated(contents: Buffer, { from, to }: Relocation): Buffer {
  if (!contents.includes(from)) return contents;
  if (from.length !== to.length) throw new Error('a folder of another length');
  // One character a byte, so that bytes that are no text stay what they are.
  const text = contents.toString('latin1');
  const moved = text
    .split('\n')
    .map((line) => (line.includes(from) ? sealed(line, line.replaceAll(from, to)) : line));
  return Buffer.from(moved.join('\n'), 'latin1');
}

const SEAL = /,"crc":"[0-9a-f]{8}"\}$/;

/** A line whose checksum was right gets one that is right again (docs/files.md). */
function sealed(before: string, after: string): string {
  const seal = SEAL.exec(before);
  if (seal === null || seal[0] !== sealOf(before.slice(0, seal.index))) return after;
  const body = after.slice(0, seal.index);
  return body + sealOf(body);
}

function sealOf(body: string): string {
  return `,"crc":"${crc32(Buffer.from(body, 'latin1')).toString(16).padStart(8, '0')}"}`;
}

/** A planned move tells the file by its number, which it has kept; here it is another file. */
function renumber(file: string, inodes: ReadonlyMap<number, number>): void {
  const text = fs.readFileSync(file, 'latin1');
  const numbered = text.replaceAll(/"inode":(\d+)/g, (whole, inode) => {
    const now = inodes.get(Number(inode));
    return now === undefined ? whole : `"inode":${now}`;
  });
  fs.writeFileSync(file, numbered, 'latin1');
}
