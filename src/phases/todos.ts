/** Todo lists: the phases as a list, and the agent's own list, which never changes a phase. */
import { defined } from '../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { PhaseStatus, PhasesDocument } from './document.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'completed';

export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
  readonly activeForm?: string;
  /** For a list that is changed entry by entry. */
  readonly id?: string;
}

export interface TodosDocument {
  readonly session_id?: string;
  readonly updated_at: string;
  readonly todos: readonly Todo[];
}

const AS_TODO: { readonly [Status in PhaseStatus]: TodoStatus } = {
  pending: 'pending',
  active: 'in_progress',
  completed: 'completed',
  failed: 'pending',
};

export function phaseTodos(document: PhasesDocument): readonly Todo[] {
  return document.phases.map(({ title, status }) => ({
    content: title,
    status: AS_TODO[status],
    activeForm: `Working on ${title}`,
  }));
}

/** Whether the list contains every phase with its current status; other entries are the agent's own. */
export function agrees(document: PhasesDocument, todos: readonly Todo[]): boolean {
  return phaseTodos(document).every(({ content, status }) =>
    todos.some((todo) => todo.content.trim() === content.trim() && todo.status === status),
  );
}

export function parseTodos(value: JsonValue): Result<TodosDocument, readonly string[]> {
  if (!isJsonObject(value) || !Array.isArray(value['todos'])) return error(['`todos` must be a list']);
  return ok({ updated_at: '', ...value, todos: value['todos'].flatMap(todoOf) } as unknown as TodosDocument);
}

/** The list change made by a todo tool; undefined if it changed nothing. */
export function changeByTool(tool: {
  readonly name: string;
  readonly input: JsonObject;
  readonly response: JsonValue | undefined;
}): ((todos: readonly Todo[]) => readonly Todo[]) | undefined {
  const response = isJsonObject(tool.response) ? tool.response : {};
  switch (tool.name) {
    case 'TodoWrite': {
      const written = response['newTodos'] ?? tool.input['todos'];
      return Array.isArray(written) ? () => (written as readonly JsonValue[]).flatMap(todoOf) : undefined;
    }
    case 'TaskCreate': {
      const created = isJsonObject(response['task']) ? response['task'] : {};
      const [todo] = todoOf({ ...tool.input, ...created, status: 'pending' });
      if (todo === undefined) return undefined;
      return (todos) => [...todos.filter(({ id }) => id === undefined || id !== todo.id), todo];
    }
    case 'TaskUpdate':
      return changeOfTask(tool.input, response);
    default:
      return undefined;
  }
}

function changeOfTask(
  input: JsonObject,
  response: JsonObject,
): ((todos: readonly Todo[]) => readonly Todo[]) | undefined {
  const id = textOf(response['taskId']) ?? textOf(input['taskId']);
  if (id === undefined || response['success'] === false) return undefined;
  const status = textOf(input['status']);
  if (status === 'deleted') return (todos) => todos.filter((todo) => todo.id !== id);
  const content = textOf(input['subject']);
  const activeForm = textOf(input['activeForm']);
  return (todos) =>
    todos.map((todo) =>
      todo.id === id
        ? {
            ...todo,
            ...defined({ content }),
            ...(isTodoStatus(status) ? { status } : {}),
            ...defined({ activeForm }),
          }
        : todo,
    );
}

function todoOf(value: JsonValue): readonly Todo[] {
  if (!isJsonObject(value)) return [];
  const content = textOf(value['content']) ?? textOf(value['subject']);
  if (content === undefined) return [];
  const { status } = value;
  const activeForm = textOf(value['activeForm']);
  const id = textOf(value['id']);
  return [
    {
      content,
      status: isTodoStatus(status) ? status : 'pending',
      ...defined({ activeForm, id }),
    },
  ];
}

function isTodoStatus(value: unknown): value is TodoStatus {
  return value === 'pending' || value === 'in_progress' || value === 'completed';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
