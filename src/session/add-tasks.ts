/**
 * Adds several tasks, all or none, even if the process is killed.
 *
 * A1 The documents are written to a separate folder. Renaming that folder to `.adding` makes them tasks:
 *    every reader of the session's tasks reads these too (`document/read-tasks.ts`).
 * A2 The next process that holds the session's lock moves what is left in `.adding` into place.
 * A3 A document is removed from `.adding` when all of them are durably in place: a power loss leaves no subtask without its parent.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { isSameJson, type JsonObject, parseJson } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { documentText } from '../store/document.ts';
import { errnoOf } from '../store/errno.ts';
import { nameAside } from '../store/keep-aside.ts';
import { makeFolder } from '../store/make-folder.ts';
import { openPlainTo, readPlainText } from '../store/plain-file.ts';
import { removeFile, removeIfEmpty } from '../store/remove-file.ts';
import { temporaryPath } from '../store/temporary-name.ts';
import { syncFolder, writeWhole } from '../store/write-whole.ts';
import { parseTaskId, type TaskId } from './ids.ts';
import { addingFolder, type SessionPaths, taskFile, taskFileName, taskIdOfFile } from './layout.ts';
import type { SessionProblem } from './problem.ts';

/** The caller holds the session's lock. The documents are valid and their ids unique. */
export function addTasks(
  paths: SessionPaths,
  documents: readonly JsonObject[],
): Result<readonly TaskId[], SessionProblem> {
  finishAdding(paths);
  if (documents.length === 0) return ok([]);
  const known = idsOf(documents);
  const taken = known.filter((id) => fs.existsSync(taskFile(paths, id)));
  if (taken.length > 0) return areThere(paths, documents) ? ok(known) : error(thereAlready(taken));
  makeFolder(paths.tasks);
  const incoming = temporaryPath(addingFolder(paths));
  try {
    makeFolder(incoming);
    documents.forEach((document, index) => {
      const id = known[index];
      if (id !== undefined) writeSynced(join(incoming, taskFileName(id)), documentText(document));
    });
    syncFolder(incoming);
    // A1
    fs.renameSync(incoming, addingFolder(paths));
    syncFolder(paths.tasks);
  } catch (cause) {
    fs.rmSync(incoming, { recursive: true, force: true });
    return error({ type: 'tasks-not-written', code: errnoOf(cause) });
  }
  finishAdding(paths);
  return ok(known);
}

/** Why they cannot be added. The caller holds the session's lock. */
export function whyNotAdded(
  paths: SessionPaths,
  documents: readonly JsonObject[],
): SessionProblem | undefined {
  finishAdding(paths);
  const taken = idsOf(documents).filter((id) => fs.existsSync(taskFile(paths, id)));
  return taken.length === 0 || areThere(paths, documents) ? undefined : thereAlready(taken);
}

/** An interrupted attempt has already added them. */
function areThere(paths: SessionPaths, documents: readonly JsonObject[]): boolean {
  const ids = idsOf(documents);
  return documents.every((document, index) => isThere(paths, ids[index], document));
}

function idsOf(documents: readonly JsonObject[]): readonly TaskId[] {
  const ids = documents.map((document) => parseTaskId(String(document['id'])));
  const known = ids.filter((id) => id !== undefined);
  if (known.length !== documents.length) throw new Error('a task without an id cannot be added');
  return known;
}

function thereAlready(taken: readonly TaskId[]): SessionProblem {
  return { type: 'tasks-exist', tasks: taken };
}

/** Some have not been moved into place yet, because the process that added them was killed. */
export function isAdding(paths: SessionPaths): boolean {
  return fs.existsSync(addingFolder(paths));
}

/** A2, A3 */
export function finishAdding(paths: SessionPaths): void {
  const adding = addingFolder(paths);
  if (!fs.existsSync(adding)) return;
  const files = fs
    .readdirSync(adding)
    .filter((name) => taskIdOfFile(name) !== undefined && fs.lstatSync(join(adding, name)).isFile());
  for (const name of files) giveItsPlace(adding, paths.tasks, name);
  if (files.length > 0) syncFolder(paths.tasks);
  for (const name of files) removeFile(join(adding, name));
  removeIfEmpty(adding);
  syncFolder(paths.tasks);
}

/** If a task with that id was created meanwhile, it wins, and this one is kept under another name. */
function giveItsPlace(adding: string, tasks: string, name: string): void {
  const [from, to] = [join(adding, name), join(tasks, name)];
  try {
    fs.linkSync(from, to);
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw cause;
    if (!isSameFile(from, to)) fs.linkSync(from, nameAside(to));
  }
}

function isSameFile(a: string, b: string): boolean {
  return fs.lstatSync(a).ino === fs.lstatSync(b).ino;
}

function isThere(paths: SessionPaths, id: TaskId | undefined, document: JsonObject): boolean {
  if (id === undefined) return false;
  try {
    const there: unknown = parseJson(readPlainText(taskFile(paths, id)));
    return isSameJson(there, document);
  } catch {
    return false;
  }
}

function writeSynced(path: string, text: string): void {
  const fd = openPlainTo(path, { to: 'create', mode: 0o644 });
  try {
    writeWhole(fd, Buffer.from(text));
    fs.fsyncSync(fd);
  } finally {
    closeFile(fd);
  }
}
