/**
 * Keeps paths that users declare inside the workspace.
 *
 * P1 A declared path is relative and has no `..`; this is decided by its text alone.
 * P2 The real path of its deepest existing part is the workspace or below it. A part that does not exist cannot lead out.
 * P3 A file is opened without following a link in its last part, and the real path of the opened file is checked again before a byte is
 *    read, written or truncated: a link put there between the check and the opening is caught.
 * P4 Files and folders are created through their opened parent folder, after checking that it is inside: a link put in
 *    its place meanwhile redirects nothing.
 * P5 A file that is written in place and has a hard link elsewhere is replaced by a copy first.
 */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from './errno.ts';
import { isLink, pinFolder, realPathOfOpen } from './pinned-folder.ts';
import { readOpen } from './plain-file.ts';
import { checkRelativePath, isInside, unsafe } from './relative-path.ts';
import { separate } from './second-name.ts';

export { checkRelativePath, isInside } from './relative-path.ts';

export const LED_OUT = 'was changed to lead outside the workspace';

/** The real absolute path, links resolved as far as the path exists. */
export function resolveInside(workspace: string, relative: string): Result<string, Failure> {
  const place = locate(workspace, relative);
  return place.type === 'ok' ? ok(join(place.value.existing, ...place.value.missing)) : place;
}

interface Place {
  /** Real. */
  readonly root: string;
  /** Absolute and real: its deepest existing part. */
  readonly existing: string;
  /** Names below it. */
  readonly missing: readonly string[];
}

/** P1, P2 */
function locate(workspace: string, relative: string): Result<Place, Failure> {
  const checked = checkRelativePath(relative);
  if (checked.type === 'error') return checked;
  let root: string;
  let existing: string;
  const missing: string[] = [];
  try {
    root = fs.realpathSync(workspace);
    existing = join(root, checked.value);
    for (let real = realPathOf(existing); ; real = realPathOf(existing)) {
      if (real !== undefined) {
        existing = real;
        break;
      }
      if (isLink(existing)) return error(unsafe(relative, 'is or contains a broken link'));
      missing.unshift(existing.slice(dirname(existing).length + 1));
      existing = dirname(existing);
    }
  } catch (cause) {
    return error(fileFailure('reach', relative, cause));
  }
  if (!isInside(root, existing)) return error(unsafe(relative, 'leads outside the workspace through a link'));
  return ok({ root, existing, missing });
}

export interface OpenInsideOptions {
  readonly to: 'read' | 'write' | 'append';
  /** Mode of a new file; default: 0644. */
  readonly mode?: number;
  /** Creates its parent folders. */
  readonly makeFolders?: boolean;
}

export interface OpenedInside {
  readonly fd: number;
  /** Absolute and real. */
  readonly path: string;
}

/** The caller closes `fd`. `write` truncates the file, once it is known to be inside. */
export function openInside(
  workspace: string,
  relative: string,
  options: OpenInsideOptions,
): Result<OpenedInside, Failure> {
  if (options.makeFolders === true) {
    const made = makeFolderInside(workspace, relative.includes('/') ? dirname(relative) : '.');
    if (made.type === 'error') return made;
  }
  const resolved = resolveInside(workspace, relative);
  if (resolved.type === 'error') return resolved;
  const path = resolved.value;
  try {
    const root = fs.realpathSync(workspace);
    const place = { root, path, relative };
    return options.to === 'read' ? openToRead(place) : openToWrite(place, { ...options, to: options.to });
  } catch (cause) {
    return error(fileFailure(options.to, relative, cause));
  }
}

interface FilePlace {
  /** Real. */
  readonly root: string;
  /** Absolute; real at the time it was looked up. */
  readonly path: string;
  /** For failures. */
  readonly relative: string;
}

/** A pipe would otherwise block the whole program until its other end is opened. */
const FLAGS = fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

function openToRead(place: FilePlace): Result<OpenedInside, Failure> {
  const fd = fs.openSync(place.path, fs.constants.O_RDONLY | FLAGS);
  const refused = refusedOpen(fd, place);
  return refused === undefined ? ok({ fd, path: place.path }) : error(refused);
}

/** P4, P5 */
function openToWrite(
  place: FilePlace,
  options: OpenInsideOptions & { readonly to: 'write' | 'append' },
): Result<OpenedInside, Failure> {
  const { root, path, relative } = place;
  const { O_WRONLY, O_RDWR, O_CREAT, O_APPEND } = fs.constants;
  const access = { write: O_WRONLY, append: O_RDWR | O_APPEND };
  const folder = pinFolder(root, dirname(path));
  if (folder === undefined) return error(unsafe(relative, LED_OUT));
  try {
    const name = join(folder.path, basename(path));
    const fd = fs.openSync(name, access[options.to] | O_CREAT | FLAGS, options.mode ?? 0o644);
    const refused = refusedOpen(fd, place);
    if (refused !== undefined) return error(refused);
    return ok({ fd: separate(fd, name, options), path });
  } finally {
    folder.close();
  }
}

/** Closes a refused file. */
function refusedOpen(fd: number, { root, path, relative }: FilePlace): Failure | undefined {
  let isGood = false;
  try {
    const reason = whyRefused(fd, path, root);
    isGood = reason === undefined;
    return reason === undefined ? undefined : unsafe(relative, reason);
  } finally {
    if (!isGood) closeFile(fd);
  }
}

export function readFileInside(workspace: string, relative: string): Result<Buffer, Failure> {
  const opened = openInside(workspace, relative, { to: 'read' });
  if (opened.type === 'error') return opened;
  try {
    return ok(readOpen(opened.value.fd, relative));
  } catch (cause) {
    return error(fileFailure('read', relative, cause));
  } finally {
    closeFile(opened.value.fd);
  }
}

/** Creates the folder and its parents; returns its real path. */
export function makeFolderInside(workspace: string, relative: string): Result<string, Failure> {
  const place = locate(workspace, relative);
  if (place.type === 'error') return place;
  const { root, existing, missing } = place.value;
  if (missing.length === 0) return ok(existing);
  try {
    const made = makeBelow({ root, existing, missing });
    return made === undefined ? error(unsafe(relative, LED_OUT)) : ok(made);
  } catch (cause) {
    return error(fileFailure('create the folder', relative, cause));
  }
}

/** P4. Returns the real path of the last one, on the disk; undefined if it would have led outside. */
function makeBelow({ root, existing, missing }: Place): string | undefined {
  let folder = pinFolder(root, existing);
  try {
    for (const name of missing) {
      if (folder === undefined) return undefined;
      const inFolder = join(folder.path, name);
      try {
        fs.mkdirSync(inFolder);
        folder.sync();
      } catch (cause) {
        if (errnoOf(cause) !== 'EEXIST') throw cause;
      }
      const next = pinFolder(root, inFolder);
      folder.close();
      folder = next;
    }
    return folder?.real;
  } finally {
    folder?.close();
  }
}

export function fileFailure(operation: string, path: string, cause: unknown): Failure {
  return { type: 'file', operation, path, code: errnoOf(cause) };
}

function whyRefused(fd: number, path: string, root: string): string | undefined {
  const stat = fs.fstatSync(fd);
  if (stat.isDirectory()) return 'is a folder';
  if (!stat.isFile()) return 'is not a regular file';
  return isInside(root, realPathOfOpen(fd, path)) ? undefined : LED_OUT;
}

function realPathOf(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}
