/**
 * Places in the workspace that are used by name more than once: checked to be inside, and then reached through the opened parent
 * folder (P4 of safe-path.ts). The caller handles a link in the place itself: a writer replaces it with a new file,
 * a reader does not follow it.
 */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { type PinnedFolder, pinFolder } from './pinned-folder.ts';
import { unsafe } from './relative-path.ts';
import { fileFailure, LED_OUT, makeFolderInside, resolveInside } from './safe-path.ts';

export interface PinOptions {
  /** The operation, for failures. */
  readonly operation: string;
  /** Creates the folder and its parents. */
  readonly makeFolders?: boolean;
}

/** A file, existing or not, in a folder that stays the same. The caller closes it. */
export interface PinnedPlace {
  /** The path to use; valid until `close`. */
  readonly path: string;
  /** Absolute and real: the path to show and record. */
  readonly real: string;
  readonly folder: PinnedFolder;
}

export function pinPlace(
  workspace: string,
  relative: string,
  options: PinOptions,
): Result<PinnedPlace, Failure> {
  if (options.makeFolders === true) {
    const made = makeFolderInside(workspace, dirname(relative));
    if (made.type === 'error') return made;
  }
  const path = resolveInside(workspace, relative);
  if (path.type === 'error') return path;
  const folder = pinReal(workspace, dirname(path.value), { ...options, shown: relative });
  if (folder.type === 'error') return folder;
  const name = basename(path.value);
  return ok({
    path: join(folder.value.path, name),
    real: join(folder.value.real, name),
    folder: folder.value,
  });
}

/** The caller closes it. */
export function pinFolderInside(
  workspace: string,
  relative: string,
  options: PinOptions,
): Result<PinnedFolder, Failure> {
  const path = (options.makeFolders === true ? makeFolderInside : resolveInside)(workspace, relative);
  return path.type === 'error' ? path : pinReal(workspace, path.value, { ...options, shown: relative });
}

export interface PlaceUse<Value> extends PinOptions {
  /** File system errors become failures. */
  use(path: string): Value;
}

/** Does one thing at a place that is pinned meanwhile. */
export function atPlace<Value>(
  workspace: string,
  relative: string,
  wanted: PlaceUse<Value>,
): Result<Value, Failure> {
  const place = pinPlace(workspace, relative, wanted);
  if (place.type === 'error') return place;
  try {
    return ok(wanted.use(place.value.path));
  } catch (cause) {
    return error(fileFailure(wanted.operation, relative, cause));
  } finally {
    place.value.folder.close();
  }
}

function pinReal(
  workspace: string,
  path: string,
  wanted: PinOptions & { readonly shown: string },
): Result<PinnedFolder, Failure> {
  try {
    const folder = pinFolder(fs.realpathSync(workspace), path);
    return folder === undefined ? error(unsafe(wanted.shown, LED_OUT)) : ok(folder);
  } catch (cause) {
    return error(fileFailure(wanted.operation, wanted.shown, cause));
  }
}
