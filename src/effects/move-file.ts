/**
 * Moves a file into a folder: never over another, never twice.
 *
 * A repeated step finds in the run's `moves.jsonl` what an earlier try was about to do. The line is on the disk before the file gets its
 * new name, and tells the file by device and inode: when the old name is gone, that file under the new name is proof that the move was
 * made. A second line, after the move, answers for a file that somebody has taken on from there since.
 */
import fs from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import { runPathsIn } from '../store/layout.ts';
import { hasMoved, moveIntoFolder } from '../store/move-into-folder.ts';
import { fileFailure, makeFolderInside, resolveInside } from '../store/safe-path.ts';
import type { MoveFileInput, MoveFileOutput } from './contracts.ts';
import { lastMove, recordMove } from './move-records.ts';

export const moveFile: Effect<MoveFileInput, MoveFileOutput> = async (input, { run, key, signal }) => {
  signal.throwIfAborted();
  const { moves } = runPathsIn(run.directory);
  const parent = resolveInside(run.workspace, dirname(input.from));
  if (parent.type === 'error') return { failure: parent.error };
  const from = join(parent.value, basename(input.from));
  const workspacePath = (path: string) => relative(fs.realpathSync(run.workspace), path).replaceAll(sep, '/');
  try {
    const stat = fs.lstatSync(from, { throwIfNoEntry: false });
    if (stat === undefined) {
      const earlier = lastMove(moves, { key, from });
      if (earlier !== undefined && (earlier.isDone || hasMoved(earlier)))
        return { to: workspacePath(earlier.to) };
      return { failure: { type: 'file', operation: 'move', path: input.from, code: 'ENOENT' } };
    }
    if (!stat.isFile()) return { failure: notAFile(input.from, stat) };
    const folder = makeFolderInside(run.workspace, input.toFolder);
    if (folder.type === 'error') return { failure: folder.error };
    const to = moveIntoFolder(from, folder.value, (planned) =>
      recordMove(moves, { key, from, ...planned, isDone: false }),
    );
    recordMove(moves, { key, from, to, device: stat.dev, inode: stat.ino, isDone: true });
    return { to: workspacePath(to) };
  } catch (cause) {
    return { failure: fileFailure('move', input.from, cause) };
  }
};

function notAFile(path: string, stat: fs.Stats): Failure {
  const what = stat.isDirectory() ? 'a folder' : stat.isSymbolicLink() ? 'a link' : 'not a regular file';
  return { type: 'unsafe-path', path, reason: `is ${what}; only files can be moved` };
}
