/** Writes and removes the file that starts `orchestrate serve` with the system. A file of the user's own is neither replaced nor removed. */
import { basename, dirname, join } from 'node:path';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { removeFile } from '../../store/remove-file.ts';
import type { Problem } from '../problem.ts';
import { isOwnText, type Unit } from './unit-text.ts';

export function installUnit(unit: Unit): Result<'written' | 'unchanged', Problem> {
  const present = readUnit(unit);
  if (present.type === 'error') return present;
  if (present.value === unit.text) return ok('unchanged');
  if (present.value !== undefined && !isOwnText(present.value))
    return error({ type: 'unit-of-user', path: unit.path });
  const place = placeOf(unit);
  makeFolder(dirname(place), 0o700);
  replaceFile(place, unit.text, { mode: 0o644 });
  return ok('written');
}

export function uninstallUnit(unit: Unit): Result<'removed' | 'not-there', Problem> {
  const present = readUnit(unit);
  if (present.type === 'error') return present;
  if (present.value === undefined) return ok('not-there');
  if (!isOwnText(present.value)) return error({ type: 'unit-of-user', path: unit.path });
  removeFile(placeOf(unit));
  return ok('removed');
}

/** The folder of the user's settings may be a link. */
function placeOf({ path }: Unit): string {
  return join(realPath(dirname(path)), basename(path));
}

/** A link or a folder in its place is the user's. */
function readUnit(unit: Unit): Result<string | undefined, Problem> {
  const { path } = unit;
  try {
    return ok(readPlainText(placeOf(unit)));
  } catch (cause) {
    return errnoOf(cause) === 'ENOENT' ? ok(undefined) : error({ type: 'unit-of-user', path });
  }
}
