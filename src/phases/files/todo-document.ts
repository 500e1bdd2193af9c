/** `todos.json`: the list that the agent keeps itself, beside the phases. */
import { isoTime } from '../../model/iso-time.ts';
import { ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { documentText, loadDocument } from '../../store/document.ts';
import type { PhasesPaths } from '../layout.ts';
import { parseTodos, type Todo, type TodosDocument } from '../todos.ts';
import { alone, type PhasesProblem } from './alone.ts';
import { loadPhases } from './change-document.ts';
import { writeView } from './view-file.ts';

export async function changeTodos(
  paths: PhasesPaths,
  given: { readonly sessionId?: string; readonly change: (todos: readonly Todo[]) => readonly Todo[] },
): Promise<Result<readonly Todo[], PhasesProblem>> {
  return alone(paths, () => {
    const phases = loadPhases(paths);
    if (phases.type === 'error') return phases;
    const loaded = loadDocument(paths.todos, parseTodos);
    const { sessionId } = given;
    // The ids of another session's list mean something else.
    const before = loaded.type === 'ok' && loaded.value.session_id === sessionId ? loaded.value : undefined;
    const todos = given.change(before?.todos ?? []);
    const document: TodosDocument = {
      ...before,
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
      updated_at: isoTime(),
      todos,
    };
    replaceFile(paths.todos, documentText(document), { mode: 0o644 });
    writeView(paths, phases.value);
    return ok(todos);
  });
}
