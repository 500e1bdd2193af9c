/** `todos.json`: the agent's own todo list, shown beside the phases. */
import { defined } from '../../model/defined.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { documentText, loadDocument } from '../../store/document.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { isForeignKind } from '../../store/plain-file.ts';
import { type PhasesPaths, shownName } from '../layout.ts';
import { parseTodos, type Todo, type TodosDocument } from '../todos.ts';
import { alone, type PhasesProblem } from './alone.ts';
import { type Kept, loadPhases } from './change-document.ts';
import { writeView } from './view-file.ts';

export interface ChangedTodos extends Kept {
  readonly todos: readonly Todo[];
}

export async function changeTodos(
  paths: PhasesPaths,
  given: { readonly sessionId?: string; readonly change: (todos: readonly Todo[]) => readonly Todo[] },
): Promise<Result<ChangedTodos, PhasesProblem>> {
  return alone(paths, () => {
    const phases = loadPhases(paths);
    if (phases.type === 'error') return phases;
    const loaded = loadDocument(paths.todos, parseTodos);
    if (loaded.type === 'error' && loaded.error.type === 'file-error' && !isForeignKind(loaded.error.code))
      return loaded;
    const { sessionId } = given;
    // Ids in another session's list mean something else.
    const before = loaded.type === 'ok' && loaded.value.session_id === sessionId ? loaded.value : undefined;
    const todos = given.change(before?.todos ?? []);
    const document: TodosDocument = {
      ...before,
      ...defined({ session_id: sessionId }),
      updated_at: new Date().toISOString(),
      todos,
    };
    const kept = loaded.type === 'ok' || loaded.error.type === 'missing' ? [] : [keep(paths, paths.todos)];
    replaceFile(paths.todos, documentText(document), { mode: 0o644 });
    return ok({ todos, kept: [...kept, ...writeView(paths, phases.value)] });
  });
}

/** Keeps a file of another tool that is where this program writes. */
export function keep(paths: PhasesPaths, path: string): KeptFile {
  return { name: shownName(paths, path), keptAs: shownName(paths, keepAside(path)) };
}
