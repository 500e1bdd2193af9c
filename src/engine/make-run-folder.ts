/**
 * The folder of a new run. It is created under a temporary name, with its lock and the first records of its journal, and renamed
 * when all of that is on the disk. So every visible run can be read and has an owner. A process killed before that leaves only a temporary
 * folder, which the next start removes, and no `clean` can mistake a starting run for a damaged one.
 */
import fs from 'node:fs';
import { dirname } from 'node:path';
import type { JournalEvent } from '../model/event.ts';
import { createJournal, type JournalFile, JournalWriteError } from '../store/journal-file.ts';
import { type RunPaths, runPathsIn } from '../store/layout.ts';
import { acquireLock, HEARTBEAT_MS, type Lock } from '../store/lock.ts';
import { makeOneFolder } from '../store/make-folder.ts';
import { makeOrchestrateFolder } from '../store/orchestrate-folder.ts';
import { clearFolderAway } from '../store/remove-file.ts';
import { temporaryPath } from '../store/temporary-name.ts';
import { syncFolder } from '../store/write-whole.ts';

export interface RunFolder {
  readonly lock: Lock;
  readonly journal: JournalFile;
}

/** Throws disk errors. */
export function makeRunFolder(paths: RunPaths, first: readonly JournalEvent[]): RunFolder {
  const runs = dirname(paths.directory);
  makeOrchestrateFolder(dirname(runs));
  makeOneFolder(runs, 0o700);
  const unseen = runPathsIn(temporaryPath(paths.directory));
  let lock: Lock | undefined;
  let journal: JournalFile | undefined;
  try {
    fs.mkdirSync(unseen.directory, 0o700);
    fs.mkdirSync(unseen.logs, 0o700);
    lock = lockNew(unseen.lock);
    journal = createJournal(unseen.journal, first);
    fs.renameSync(unseen.directory, paths.directory);
    lock.movedTo(paths.lock);
    journal.movedTo(paths.journal);
    syncFolder(runs);
    return { lock, journal };
  } catch (problem) {
    journal?.close();
    lock?.release();
    clearFolderAway(unseen.directory);
    // Report the final path, not the temporary one.
    throw problem instanceof JournalWriteError
      ? new JournalWriteError(paths.journal, problem.cause)
      : problem;
  }
}

function lockNew(path: string): Lock {
  const locked = acquireLock(path, { heartbeatMs: HEARTBEAT_MS });
  if (locked.type === 'error') throw new Error(`\`${path}\` was just created and is already locked`);
  return locked.value;
}
