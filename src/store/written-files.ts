/**
 * Files that are written for users to read, in folders where users and other tools write too: views, reports. A file in the place of
 * one is replaced or removed only if this program wrote it; anything else is a user's work.
 *
 * V1 A record names what was written: a line `<sha256>  <name>` for each version, as `sha256sum` prints it. The line is written before the
 *    file, so after a kill between the two both the old version and the new one are known.
 * V2 A file that is not in the record is kept under another name, which is on the disk before another file takes its place.
 * V3 The record itself is not synced. After a power loss, or if it could not be written, a version may be missing in it: then one file too
 *    many is kept, never one too few.
 *
 * The writer holds the lock of the folder, or writes files that no other process writes.
 */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defined } from '../model/defined.ts';
import type { KeptFile } from '../model/kept-file.ts';
import { sha256 } from '../model/sha256.ts';
import { type ReplaceOptions, replaceFile } from './atomic-write.ts';
import { errnoOf, refusal } from './errno.ts';
import { keepAside } from './keep-aside.ts';
import { readPlain, readPlainText } from './plain-file.ts';
import { removeFile } from './remove-file.ts';
import { writeWhole } from './write-whole.ts';

export interface WrittenFile {
  /** The path to use. */
  readonly path: string;
  /** The name in the record. */
  readonly name: string;
}

export type Writing = { readonly type: 'unchanged' } | { readonly type: 'written'; readonly kept?: KeptFile };

/** A longer record is searched for versions that are no longer needed. */
const LONG = 256 * 1024;
/** This many versions of each file are remembered, and more until the record is long. */
const REMEMBERED = 2;
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

export class WrittenFiles {
  readonly #record: string;
  #lines: string | undefined;

  constructor(record: string) {
    this.#record = record;
  }

  /** Replaces the file with `contents`, unless it has them already. Throws file system errors. */
  write(file: WrittenFile, contents: string | Uint8Array, options: ReplaceOptions): Writing {
    const bytes = typeof contents === 'string' ? Buffer.from(contents) : contents;
    const standing = standingAt(file.path);
    if (standing !== 'other' && standing?.equals(bytes) === true) return { type: 'unchanged' };
    const kept = this.#isOwn(file.name, standing) ? undefined : keep(file);
    // V1
    this.know(file.name, bytes);
    replaceFile(file.path, bytes, options);
    return { type: 'written', ...defined({ kept }) };
  }

  /** Removes the file if it is as it was written. False: it does not exist, or has been changed. */
  remove(file: WrittenFile): boolean {
    const standing = standingAt(file.path);
    if (standing === undefined || standing === 'other' || !this.#knows(file.name, standing)) return false;
    removeFile(file.path);
    return true;
  }

  /** There is a file that this program did not write as it is. */
  isForeign(file: WrittenFile): boolean {
    return !this.#isOwn(file.name, standingAt(file.path));
  }

  /** This program has written a file of this name before. */
  hasWritten(name: string): boolean {
    return this.#load()
      .split('\n')
      .some((line) => LINE.exec(line)?.[2] === name);
  }

  #isOwn(name: string, standing: Standing): boolean {
    if (standing === undefined) return true;
    if (standing === 'other') return false;
    return standing.length === 0 || this.#knows(name, standing);
  }

  #knows(name: string, bytes: Uint8Array): boolean {
    return `\n${this.#load()}`.includes(`\n${sha256(bytes)}  ${name}\n`);
  }

  /** A file with these bytes may be replaced: they are kept elsewhere, or can be created again. */
  know(name: string, bytes: Uint8Array): void {
    const line = `${sha256(bytes)}  ${name}\n`;
    if (this.#load().endsWith(line)) return;
    if (this.#load().length > LONG) this.#shorten();
    const before = this.#load();
    // A power loss may have left an incomplete line.
    const added = before === '' || before.endsWith('\n') ? line : `\n${line}`;
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = fs.constants;
    const fd = fs.openSync(this.#record, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
    try {
      writeWhole(fd, Buffer.from(added));
    } finally {
      fs.closeSync(fd);
    }
    this.#lines = `${before}${added}`;
  }

  #load(): string {
    this.#lines ??= textOf(this.#record);
    return this.#lines;
  }

  /** Foreign lines stay. */
  #shorten(): void {
    const lines = this.#load().split('\n').slice(0, -1);
    const seen = new Map<string, number>();
    const useful = lines.reverse().filter((line) => {
      const name = LINE.exec(line)?.[2];
      if (name === undefined) return line !== '';
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return (seen.get(name) ?? 0) <= REMEMBERED;
    });
    if (useful.length > lines.length / 2) return;
    this.#lines = useful
      .reverse()
      .map((line) => `${line}\n`)
      .join('');
    replaceFile(this.#record, this.#lines, { mode: 0o644, mayBeLost: true });
  }
}

/** Its bytes; `other` if it is not a file: a link, a pipe. A folder is refused. */
type Standing = Buffer | 'other' | undefined;

function standingAt(path: string): Standing {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) throw refusal('EISDIR', path);
  return stat.isFile() ? readPlain(path) : 'other';
}

function keep({ path, name }: WrittenFile): KeptFile {
  return { name, keptAs: join(dirname(name), basename(keepAside(path))) };
}

function textOf(path: string): string {
  try {
    return readPlainText(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return '';
    throw cause;
  }
}
