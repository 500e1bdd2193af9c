/** `workflow_state_system.md` on the disk. It is written last of all, so one that is older than the document tells of a writer that died. */
import fs from 'node:fs';
import { replaceFile } from '../../store/atomic-write.ts';
import { loadDocument } from '../../store/document.ts';
import type { PhasesDocument } from '../document.ts';
import type { PhasesPaths } from '../layout.ts';
import { parseTodos, type Todo } from '../todos.ts';
import { renderView } from '../view.ts';

export function writeView(paths: PhasesPaths, document: PhasesDocument): void {
  replaceFile(paths.view, renderView(document, loadTodos(paths)), { mode: 0o644, mayBeLost: true });
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
