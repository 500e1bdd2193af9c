/**
 * Changes `workflow.json`: with its lock held, the file is replaced atomically, then its history lines are appended, then the view is written.
 * So concurrent changes are all kept, and the next process finishes what a killed one did not (`catchUp`).
 */

import fs from 'node:fs';
import { isoTime } from '../../model/iso-time.ts';
import { isSameJson } from '../../model/json.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { type DocumentProblem, documentText, loadDocument } from '../../store/document.ts';
import { nameAside } from '../../store/keep-aside.ts';
import { isLeftBehind } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { readPlain } from '../../store/plain-file.ts';
import { removeFile } from '../../store/remove-file.ts';
import { syncFolder } from '../../store/write-whole.ts';
import { type PhasesDocument, parsePhases } from '../document.ts';
import type { ChangedBy, HistoryLine } from '../history-line.ts';
import type { PhasesPaths } from '../layout.ts';
import type { Changing, Transition } from '../transitions.ts';
import { ALREADY_THERE, alone, fileProblem, type PhasesProblem } from './alone.ts';
import { withHistory } from './history.ts';
import { isViewBehind, writeView } from './view-file.ts';

export function loadPhases(paths: PhasesPaths): Result<PhasesDocument, DocumentProblem> {
  return loadDocument(paths.document, parsePhases);
}

/** `change` is synchronous; an unchanged result is not written. */
export async function changePhases(
  paths: PhasesPaths,
  by: ChangedBy,
  change: (document: PhasesDocument) => Changing,
): Promise<Result<Transition & Kept, PhasesProblem>> {
  // After the lock is taken over from a dead process, no trace of that process is left.
  const isLeft = isLeftBehind(`${paths.document}.lock`);
  return alone(paths, () => {
    const loaded = loadPhases(paths);
    if (loaded.type === 'error') return loaded;
    const changed = change(loaded.value);
    if (changed.type === 'error') return changed;
    const { document, changes } = changed.value;
    if (document === loaded.value) {
      const kept = isLeft || isViewBehind(paths) ? follow(paths, document) : [];
      return ok({ ...changed.value, kept });
    }
    const at = isoTime();
    const same = { at, workflow: document.id, by, status: document.status };
    const lines = changes.map((entry) => ({ ...same, ...entry }));
    return ok({ ...write(paths, { document, lines, mode: modeOf(paths.document) }), changes });
  });
}

/** Finishes a creation of the same phases that failed or was killed when the document was already there. */
export async function createPhases(
  paths: PhasesPaths,
  by: ChangedBy,
  document: PhasesDocument,
): Promise<Result<Written, PhasesProblem>> {
  try {
    makeFolder(paths.folder);
  } catch (cause) {
    return error(fileProblem(paths.folder, cause));
  }
  const isLeft = isLeftBehind(`${paths.document}.lock`);
  return alone(paths, () => {
    if (fs.existsSync(paths.document)) {
      const loaded = loadPhases(paths);
      if (loaded.type === 'ok' && (isLeft || isViewBehind(paths)) && isAsCreated(loaded.value, document))
        return ok({ document: loaded.value, kept: follow(paths, loaded.value) });
      return error({ type: 'exists', path: paths.document, message: ALREADY_THERE });
    }
    const { id: workflow, status } = document;
    const line = { at: isoTime(), workflow, by, status, from: null, to: status };
    return ok(write(paths, { document, lines: [line], mode: 0o644 }));
  });
}

function isAsCreated(found: PhasesDocument, asked: PhasesDocument): boolean {
  const { id, created_at } = found;
  const lines = lastLines(found);
  return isSameJson(found, { ...asked, id, created_at, last_change: lines }) && lines.length === 1;
}

/** Finishes the work of a killed process, or updates the view after a manual edit. Otherwise only reads. */
export async function catchUp(paths: PhasesPaths): Promise<Result<Kept, PhasesProblem>> {
  if (!isViewBehind(paths) && !isLeftBehind(`${paths.document}.lock`)) return ok({ kept: [] });
  return alone(paths, () => {
    const loaded = loadPhases(paths);
    return loaded.type === 'error' ? loaded : ok({ kept: follow(paths, loaded.value) });
  });
}

export interface Archived extends Kept {
  /** Absolute path of the document. */
  readonly path: string;
}

/** Archives the workflow with its view and todo list; the history stays. */
export async function archivePhases(
  paths: PhasesPaths,
  by: ChangedBy,
): Promise<Result<Archived, PhasesProblem>> {
  return alone(paths, () => {
    const loaded = loadPhases(paths);
    if (loaded.type === 'error') return loaded;
    const { id, status } = loaded.value;
    makeFolder(paths.archive);
    let stem = `${paths.archive}/${id}`;
    for (let number = 2; isThere(`${stem}.json`); number += 1) stem = `${paths.archive}/${id}-${number}`;
    // A process killed here has already recorded it.
    const isNoted = lastLines(loaded.value).at(-1)?.to === 'archived';
    const line = { at: isoTime(), workflow: id, by, status, from: status, to: 'archived' };
    const kept = isNoted
      ? follow(paths, loaded.value)
      : write(paths, { document: loaded.value, lines: [line], mode: modeOf(paths.document) }).kept;
    moveIfThere(paths.view, `${stem}.md`);
    moveIfThere(paths.todos, `${stem}.todos.json`);
    fs.renameSync(paths.document, `${stem}.json`);
    syncFolder(paths.archive);
    syncFolder(paths.folder);
    return ok({ path: `${stem}.json`, kept });
  });
}

/** Files of other programs that were in the places this program writes to. */
export interface Kept {
  readonly kept: readonly KeptFile[];
}

/** The document on disk afterwards. */
export interface Written extends Kept {
  readonly document: PhasesDocument;
}

function write(
  paths: PhasesPaths,
  given: {
    readonly document: PhasesDocument;
    readonly lines: readonly HistoryLine[];
    readonly mode: number;
  },
): Written {
  const { document, lines, mode } = given;
  const written = lines.length === 0 ? document : { ...document, last_change: lines };
  withHistory(paths, (history) => {
    history.appendIfMissing(lastLines(document));
    replaceFile(paths.document, documentText(written), { mode });
    history.append(lines);
  });
  return { document: written, kept: writeView(paths, written) };
}

function follow(paths: PhasesPaths, document: PhasesDocument): readonly KeptFile[] {
  const last = lastLines(document);
  if (last.length > 0) withHistory(paths, (history) => history.appendIfMissing(last));
  return writeView(paths, document);
}

/** Ignores what other programs have put there. */
function lastLines({ last_change: lines }: PhasesDocument): readonly HistoryLine[] {
  return Array.isArray(lines) ? lines : [];
}

function modeOf(path: string): number {
  return fs.statSync(path).mode & 0o777;
}

/** Never overwrites: a copy left by an interrupted attempt is identical, and any other file is not ours. */
function moveIfThere(from: string, to: string): void {
  if (fs.lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) return;
  if (!isThere(to)) fs.renameSync(from, to);
  else if (isSameFile(from, to)) removeFile(from);
  else fs.renameSync(from, nameAside(to));
}

function isSameFile(a: string, b: string): boolean {
  return fs.lstatSync(b).isFile() && readPlain(a).equals(readPlain(b));
}

function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
