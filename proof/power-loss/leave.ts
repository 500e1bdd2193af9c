/** Creates in a folder what a power loss has left of another. */
import fs from 'node:fs';
import path from 'node:path';
import { type Relocation, relocated } from '../kill-everywhere/relocate.ts';
import type { FileLeft } from './disk.ts';

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

/** A planned move identifies the file by its inode number; here the copy has another one. */
function renumber(file: string, inodes: ReadonlyMap<number, number>): void {
  const text = fs.readFileSync(file, 'latin1');
  const numbered = text.replaceAll(/"inode":(\d+)/g, (whole, inode) => {
    const now = inodes.get(Number(inode));
    return now === undefined ? whole : `"inode":${now}`;
  });
  fs.writeFileSync(file, numbered, 'latin1');
}
