/**
 * Every change of `workflow.json`: under its lock, replaced as a whole, with its view and its lines of history written before the lock is
 * given back. So two who change it at once both have their say, and the view and the history are never of another document.
 */
import fs from 'node:fs';
import { errnoWords } from '../model/describe-failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { type DocumentProblem, documentText, loadDocument } from '../store/document.ts';
import { errnoOf } from '../store/errno.ts';
import { temporaryPath } from '../store/temporary-name.ts';
import { syncFolder, writeWhole } from '../store/write-whole.ts';
import { type PhasesDocument, parsePhases } from './document.ts';
import type { PhasesPaths } from './layout.ts';
import { takeTurn } from './take-turn.ts';
import { parseTodos, type Todo, type TodosDocument } from './todos.ts';
import type { Changing, Refusal, Transition } from './transitions.ts';
import { renderView } from './view.ts';

export type ChangedBy = 'command' | 'hook' | 'mcp' | 'run' | 'reconcile';

export type PhasesProblem = DocumentProblem | (Refusal & { readonly type: 'refused' });

export interface HistoryLine {
  readonly at: string;
  readonly workflow: string;
  readonly by: ChangedBy;
  /** Of the workflow, afterwards. */
  readonly status: string;
  readonly phase?: string;
  readonly from: string | null;
  readonly to: string;
}

export function loadPhases(paths: PhasesPaths): Result<PhasesDocument, DocumentProblem> {
  return loadDocument(paths.document, parsePhases);
}

/** What the agent's list holds; nothing where there is none, or one that cannot be read. */
export function loadTodos(paths: PhasesPaths): readonly Todo[] {
  const loaded = loadDocument(paths.todos, parseTodos);
  return loaded.type === 'ok' ? loaded.value.todos : [];
}

/** `change` is synchronous; what it answers unchanged is not written. */
export async function changePhases(
  paths: PhasesPaths,
  by: ChangedBy,
  change: (document: PhasesDocument) => Changing,
): Promise<Result<Transition, PhasesProblem>> {
  return alone(paths, () => {
    const loaded = loadPhases(paths);
    if (loaded.type === 'error') return loaded;
    const changed = change(loaded.value);
    if (changed.type === 'error') return error({ type: 'refused', ...changed.error });
    const { document, changes } = changed.value;
    if (document === loaded.value) return changed;
    replaceFile(paths.document, documentText(document), { mode: modeOf(paths.document) });
    writeView(paths, document);
    const at = new Date().toISOString();
    const same = { workflow: document.id, by, status: document.status };
    appendHistory(
      paths,
      changes.map((entry) => ({ at, ...same, ...entry })),
    );
    return changed;
  });
}

export async function createPhases(
  paths: PhasesPaths,
  by: ChangedBy,
  document: PhasesDocument,
): Promise<Result<PhasesDocument, PhasesProblem>> {
  try {
    fs.mkdirSync(paths.folder, { recursive: true });
  } catch (cause) {
    return error(fileProblem(paths.folder, cause));
  }
  return alone(paths, () => {
    if (fs.existsSync(paths.document))
      return error({ type: 'exists', path: paths.document, message: 'there is a workflow here already' });
    replaceFile(paths.document, documentText(document), { mode: 0o644 });
    writeView(paths, document);
    const at = new Date().toISOString();
    const line = { at, workflow: document.id, by, status: document.status, from: null, to: document.status };
    appendHistory(paths, [line]);
    return ok(document);
  });
}

/** The agent's list, and the view beside it. */
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
      updated_at: new Date().toISOString(),
      todos,
    };
    replaceFile(paths.todos, documentText(document), { mode: 0o644 });
    writeView(paths, phases.value);
    return ok(todos);
  });
}

/** Puts the workflow away with its view and list; the history stays. Answers where it lies. */
export async function archivePhases(
  paths: PhasesPaths,
  by: ChangedBy,
): Promise<Result<string, PhasesProblem>> {
  return alone(paths, () => {
    const loaded = loadPhases(paths);
    if (loaded.type === 'error') return loaded;
    const { id, status } = loaded.value;
    fs.mkdirSync(paths.archive, { recursive: true });
    let stem = `${paths.archive}/${id}`;
    for (let number = 2; fs.existsSync(`${stem}.json`); number += 1)
      stem = `${paths.archive}/${id}-${number}`;
    moveIfThere(paths.view, `${stem}.md`);
    moveIfThere(paths.todos, `${stem}.todos.json`);
    fs.renameSync(paths.document, `${stem}.json`);
    syncFolder(paths.archive);
    syncFolder(paths.folder);
    const at = new Date().toISOString();
    appendHistory(paths, [{ at, workflow: id, by, status, from: status, to: 'archived' }]);
    return ok(`${stem}.json`);
  });
}

/** Whole at every moment, and not waited for until it is on the disk: it can be made again. */
function writeView(paths: PhasesPaths, document: PhasesDocument): void {
  const temporary = temporaryPath(paths.view);
  try {
    fs.writeFileSync(temporary, renderView(document, loadTodos(paths)), { mode: 0o644 });
    fs.renameSync(temporary, paths.view);
  } catch (cause) {
    fs.rmSync(temporary, { force: true });
    throw cause;
  }
}

function appendHistory(paths: PhasesPaths, lines: readonly HistoryLine[]): void {
  if (lines.length === 0) return;
  const fd = fs.openSync(paths.history, 'a', 0o644);
  try {
    writeWhole(fd, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  } finally {
    fs.closeSync(fd);
  }
}

async function alone<Value>(
  paths: PhasesPaths,
  action: () => Result<Value, PhasesProblem>,
): Promise<Result<Value, PhasesProblem>> {
  try {
    const done = await takeTurn(`${paths.document}.lock`, action);
    return done.type === 'ok' ? done.value : done;
  } catch (cause) {
    return error(fileProblem(paths.document, cause));
  }
}

function fileProblem(path: string, cause: unknown): DocumentProblem {
  const code = errnoOf(cause);
  if (code === 'ENOENT') return { type: 'missing', path, message: `there is no file \`${path}\`` };
  return { type: 'file-error', path, code, message: `cannot change \`${path}\`: ${errnoWords(code)}` };
}

function modeOf(path: string): number {
  return fs.statSync(path).mode & 0o777;
}

function moveIfThere(from: string, to: string): void {
  if (fs.existsSync(from)) fs.renameSync(from, to);
}

/** What a person is told of a problem. */
export function problemWords(problem: PhasesProblem): { readonly message: string; readonly help?: string } {
  switch (problem.type) {
    case 'held': {
      const { owner } = problem;
      return { message: `\`workflow.json\` is being changed by process ${owner.pid} on ${owner.host}` };
    }
    case 'missing':
      return {
        message: 'there is no workflow here',
        help: '`orchestrate phases create "<task>" --phase "Title::agent"` makes one',
      };
    case 'refused':
      return {
        message: problem.message,
        ...(problem.help === undefined ? {} : { help: problem.help }),
      };
    default:
      return { message: problem.message };
  }
}
