/** `workflow_state_system.md` on the disk. It is written last, so a view older than the document means that a writer died. */
import fs from 'node:fs';
import type { KeptFile } from '../../model/kept-file.ts';
import { loadDocument } from '../../store/document.ts';
import { WrittenFiles } from '../../store/written-files.ts';
import type { PhasesDocument } from '../document.ts';
import { type PhasesPaths, shownName } from '../layout.ts';
import { parseTodos, type Todo } from '../todos.ts';
import { renderView } from '../view.ts';

/** Returns the foreign file that was in its place, if any. */
export function writeView(paths: PhasesPaths, document: PhasesDocument): readonly KeptFile[] {
  const file = { path: paths.view, name: shownName(paths, paths.view) };
  const text = renderView(document, loadTodos(paths));
  const written = new WrittenFiles(paths.written).write(file, text, { mode: 0o644, mayBeLost: true });
  // A view older than the document would mean that a writer died.
  if (written.type === 'unchanged') touch(paths.view);
  return written.type === 'written' && written.kept !== undefined ? [written.kept] : [];
}

function touch(path: string): void {
  const now = new Date();
  fs.utimesSync(path, now, now);
}

/** Also for a document that was edited by hand. */
export function isViewBehind(paths: PhasesPaths): boolean {
  const [document, view] = [paths.document, paths.view].map(
    (path) => fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs,
  );
  return document !== undefined && (view === undefined || view < document);
}

/** The agent's todo list; empty if there is none or it cannot be read. */
export function loadTodos(paths: PhasesPaths): readonly Todo[] {
  // Creating the error for a missing file takes longer than checking first.
  if (!fs.existsSync(paths.todos)) return [];
  const loaded = loadDocument(paths.todos, parseTodos);
  return loaded.type === 'ok' ? loaded.value.todos : [];
}
