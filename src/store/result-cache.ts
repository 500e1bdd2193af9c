/**
 * Cached results of earlier runs, each in its own folder:
 *
 *   <digest>/entry.json     {"seal": of the text of `entry`, "entry": {runId, output, files: [{path, mode, sha256}]}}
 *   <digest>/0, 1, …        copies of the files, in the order of `files`
 *
 * C1 An entry appears as a whole: it is created under another name and renamed.
 * C2 Data that does not match its seal is not an entry: a cache may forget, never lie. So nothing here is synced.
 * C3 The seal is made with the user's key: an entry that came with a clone, or was made for another step, is ignored.
 */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import type { Failure } from '../model/failure.ts';
import { isJsonObject, type JsonValue, parseJson } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { digestOfPath } from './digest.ts';
import { errnoOf } from './errno.ts';
import { makeOneFolder } from './make-folder.ts';
import { atPlace } from './pin-inside.ts';
import { pathOfOpen } from './pinned-folder.ts';
import { copyPlain, readPlainText } from './plain-file.ts';
import { clearAway, clearFolderAway } from './remove-file.ts';
import { fileFailure, openInside } from './safe-path.ts';
import type { Seals } from './seal.ts';
import { temporaryPath } from './temporary-name.ts';
import { writeNew } from './write-whole.ts';

export interface CacheEntry {
  readonly runId: string;
  readonly output: JsonValue;
  readonly files: readonly CachedFile[];
}

interface CachedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly mode: number;
  readonly sha256: string;
}

const ENTRY = 'entry.json';

/** C3 */
function sealedText(folder: string, entry: string): string {
  return `cache\n${basename(folder)}\n${entry}`;
}

/** The entry, if it and all its files are intact. */
export function loadEntry(folder: string, seals: Seals): CacheEntry | undefined {
  try {
    const value: unknown = parseJson(readPlainText(join(folder, ENTRY)));
    if (!isJsonObject(value)) return undefined;
    if (!seals.isSealed(sealedText(folder, JSON.stringify(value.entry)), value.seal)) return undefined;
    const entry = value.entry as unknown as CacheEntry;
    return entry.files.every((file, index) => isWhole(join(folder, String(index)), file)) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Restores the files of an entry, each atomically; one that is already there is left as it is. */
export function putBack(workspace: string, folder: string, entry: CacheEntry): Result<void, Failure> {
  for (const [index, file] of entry.files.entries()) {
    const done = atPlace(workspace, file.path, {
      ...{ operation: 'restore', makeFolders: true },
      use: (path) => putOne(join(folder, String(index)), path, file),
    });
    if (done.type === 'error') return done;
  }
  return ok(undefined);
}

function putOne(kept: string, path: string, file: CachedFile): void {
  if (isWhole(path, file)) return;
  const temporary = temporaryPath(path);
  try {
    copyPlain(kept, temporary);
    fs.chmodSync(temporary, file.mode);
    fs.renameSync(temporary, path);
  } catch (cause) {
    clearAway(temporary);
    throw cause;
  }
}

export interface NewEntry {
  readonly runId: string;
  readonly output: JsonValue;
  /** Relative to the workspace. */
  readonly files: readonly string[];
  /** Without a key nothing is saved: no reader would accept it. */
  readonly seals: Seals;
}

/** Replaces the entry at `folder`, intact or damaged. */
export function saveEntry(workspace: string, folder: string, entry: NewEntry): Result<void, Failure> {
  const unfinished = temporaryPath(folder);
  try {
    makeOneFolder(dirname(unfinished), 0o700);
    makeOneFolder(unfinished, 0o700);
    const files: CachedFile[] = [];
    for (const [index, path] of entry.files.entries()) {
      const copied = copyFrom(workspace, path, join(unfinished, String(index)));
      if (copied.type === 'error') return copied;
      files.push(copied.value);
    }
    const text = JSON.stringify({ runId: entry.runId, output: entry.output, files } satisfies CacheEntry);
    const seal = entry.seals.seal(sealedText(folder, text));
    if (seal === undefined) return ok(undefined);
    writeNew(join(unfinished, ENTRY), `{"seal":"${seal}","entry":${text}}\n`, 0o600);
    giveName(unfinished, folder);
    return ok(undefined);
  } catch (cause) {
    return error(fileFailure('write', join(basename(dirname(folder)), basename(folder)), cause));
  } finally {
    clearFolderAway(unfinished);
  }
}

/** A folder cannot be renamed over one that contains files: the old one is moved away first. */
function giveName(unfinished: string, folder: string): void {
  const old = temporaryPath(folder);
  for (;;) {
    try {
      fs.renameSync(unfinished, folder);
      break;
    } catch (cause) {
      const code = errnoOf(cause);
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw cause;
    }
    stepAside(folder, old);
  }
}

function stepAside(folder: string, old: string): void {
  try {
    fs.renameSync(folder, old);
    clearFolderAway(old);
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT') throw cause;
  }
}

function copyFrom(workspace: string, path: string, to: string): Result<CachedFile, Failure> {
  const opened = openInside(workspace, path, { to: 'read' });
  if (opened.type === 'error') return opened;
  try {
    const { mode } = fs.fstatSync(opened.value.fd);
    fs.copyFileSync(pathOfOpen(opened.value.fd, opened.value.path), to);
    fs.chmodSync(to, 0o600);
    return ok({ path, mode: mode & 0o777, sha256: digestOfPath(to) });
  } catch (cause) {
    return error(fileFailure('copy', path, cause));
  } finally {
    closeFile(opened.value.fd);
  }
}

function isWhole(path: string, file: CachedFile): boolean {
  try {
    return digestOfPath(path) === file.sha256;
  } catch (cause) {
    errnoOf(cause);
    return false;
  }
}
