/**
 * The folder of a new run. It is made under a name that is nobody's run, with its lock and the first records of its journal, and gets its
 * own name when all of that is on the disk. So whoever sees a run can read it and sees who owns it; one that is killed before leaves no run,
 * only a temporary folder that the next start clears away, and nobody else's `clean` can take a run for damaged that is only beginning.
 */
import fs from 'node:fs';
import { dirname } from 'node:path';
import type { JournalEvent } from '../model/event.ts';
import { createJournal, type JournalFile, JournalWriteError } from '../store/journal-file.ts';
import { type RunPaths, runPathsIn } from '../store/layout.ts';
import { acquireLock, HEARTBEAT_MS, type Lock } from '../store/lock.ts';
import { makeOneFolder } from '../store/make-folder.ts';
import { clearFolderAway } from '../store/remove-file.ts';
import { temporaryPath } from '../store/temporary-name.ts';
import { syncFolder } from '../store/write-whole.ts';

export interface RunFolder {
  readonly lock: Lock;
  readonly journal: JournalFile;
}

/** Throws what the disk refuses. */
export function makeRunFolder(paths: RunPaths, first: readonly JournalEvent[]): RunFolder {
  const runs = dirname(paths.directory);
  makeOneFolder(dirname(runs), 0o700);
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
    // The other name is nobody's business.
    throw problem instanceof JournalWriteError
      ? new JournalWriteError(paths.journal, problem.cause)
      : problem;
  }
}

function lockNew(path: string): Lock {
  const locked = acquireLock(path, { heartbeatMs: HEARTBEAT_MS });
  if (locked.type === 'error') throw new Error(`\`${path}\` has just been made and is locked`);
  return locked.value;
}
