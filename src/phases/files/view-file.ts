/** `workflow_state_system.md` on the disk. It is written last of all, so one that is older than the document tells of a writer that died. */
import fs from 'node:fs';
import type { KeptFile } from '../../model/kept-file.ts';
import { loadDocument } from '../../store/document.ts';
import { WrittenFiles } from '../../store/written-files.ts';
import type { PhasesDocument } from '../document.ts';
import { type PhasesPaths, shownName } from '../layout.ts';
import { parseTodos, type Todo } from '../todos.ts';
import { renderView } from '../view.ts';

/** Answers what somebody else had put in its place. */
export function writeView(paths: PhasesPaths, document: PhasesDocument): readonly KeptFile[] {
  const file = { path: paths.view, name: shownName(paths, paths.view) };
  const text = renderView(document, loadTodos(paths));
  const written = new WrittenFiles(paths.written).write(file, text, { mode: 0o644, mayBeLost: true });
  // One that is older than the document would tell of a writer that died.
  if (written.type === 'unchanged') touch(paths.view);
  return written.type === 'written' && written.kept !== undefined ? [written.kept] : [];
}

function touch(path: string): void {
  const now = new Date();
  fs.utimesSync(path, now, now);
}

/** Also of a document that somebody has written by hand. */
export function isViewBehind(paths: PhasesPaths): boolean {
  const [document, view] = [paths.document, paths.view].map(
    (path) => fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs,
  );
  return document !== undefined && (view === undefined || view < document);
}

/** What the agent's list holds; nothing where there is none, or one that cannot be read. */
export function loadTodos(paths: PhasesPaths): readonly Todo[] {
  // The error of reading what is not there takes longer to make than a look.
  if (!fs.existsSync(paths.todos)) return [];
  const loaded = loadDocument(paths.todos, parseTodos);
  return loaded.type === 'ok' ? loaded.value.todos : [];
}
