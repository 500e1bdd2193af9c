/**
 * Moves a file into a folder, without overwriting and only once.
 *
 * A repeated step finds in the run's `moves.jsonl` what an earlier attempt planned. The line is on the disk before the file gets its
 * new name, and identifies the file by device and inode: if the old name no longer exists, that file under the new name proves that the move
 * was made. A second line, after the move, covers a file that has been moved on since.
 */
import fs from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Effect, EffectContext } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import { runPathsIn } from '../store/layout.ts';
import { hasMoved, moveIntoFolder } from '../store/move-into-folder.ts';
import { pinFolderInside } from '../store/pin-inside.ts';
import type { PinnedFolder } from '../store/pinned-folder.ts';
import { fileFailure, resolveInside } from '../store/safe-path.ts';
import type { MoveFileInput, MoveFileOutput } from './contracts.ts';
import { lastMove, recordMove } from './move-records.ts';

export const moveFile: Effect<MoveFileInput, MoveFileOutput> = async (input, context) => {
  context.signal.throwIfAborted();
  const { workspace } = context.run;
  try {
    const to = move(input, context);
    if (typeof to !== 'string') return { failure: to };
    return { to: relative(fs.realpathSync(workspace), to).replaceAll(sep, '/') };
  } catch (cause) {
    return { failure: fileFailure('move', input.from, cause) };
  }
};

/** Returns the new path, absolute and real. */
function move(input: MoveFileInput, context: EffectContext): string | Failure {
  const { workspace } = context.run;
  const parent = resolveInside(workspace, dirname(input.from));
  if (parent.type === 'error') return parent.error;
  if (!fs.existsSync(parent.value))
    return earlierMove(join(parent.value, basename(input.from)), input, context);
  const source = pinFolderInside(workspace, dirname(input.from), { operation: 'move' });
  if (source.type === 'error') return source.error;
  try {
    return moveFrom(source.value, input, context);
  } finally {
    source.value.close();
  }
}

function moveFrom(source: PinnedFolder, input: MoveFileInput, context: EffectContext): string | Failure {
  const { run, key } = context;
  const name = basename(input.from);
  const from = join(source.real, name);
  const stat = fs.lstatSync(join(source.path, name), { throwIfNoEntry: false });
  if (stat === undefined) return earlierMove(from, input, context);
  if (!stat.isFile()) return notAFile(input.from, stat);
  const folder = pinFolderInside(run.workspace, input.toFolder, { operation: 'move', makeFolders: true });
  if (folder.type === 'error') return folder.error;
  const { moves } = runPathsIn(run.directory);
  const lasting = (to: string): string => join(folder.value.real, basename(to));
  try {
    const to = moveIntoFolder(join(source.path, name), folder.value.path, (planned) =>
      recordMove(moves, { key, from, ...planned, to: lasting(planned.to), isDone: false }),
    );
    recordMove(moves, { key, from, to: lasting(to), device: stat.dev, inode: stat.ino, isDone: true });
    return lasting(to);
  } finally {
    folder.value.close();
  }
}

/** Where an earlier attempt has put the file that is no longer at `from`. */
function earlierMove(from: string, input: MoveFileInput, { run, key }: EffectContext): string | Failure {
  const earlier = lastMove(runPathsIn(run.directory).moves, { key, from });
  if (earlier !== undefined && (earlier.isDone || hasMoved(earlier))) return earlier.to;
  return { type: 'file', operation: 'move', path: input.from, code: 'ENOENT' };
}

function notAFile(path: string, stat: fs.Stats): Failure {
  const what = stat.isDirectory() ? 'a folder' : stat.isSymbolicLink() ? 'a link' : 'not a regular file';
  return { type: 'unsafe-path', path, reason: `is ${what}; only files can be moved` };
}
