/** Turns a list of tasks from an agent or a file into documents to write: assigns ids, fills in missing parts, reports every finding. */
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';
import { checkTasks } from '../check/check-tasks.ts';
import type { Finding } from '../check/finding.ts';
import { FreeIds } from '../document/free-ids.ts';
import { jsonPathText } from '../document/locate-json.ts';
import { completedTask } from '../document/new-task.ts';
import type { TaskFile } from '../document/read-tasks.ts';
import { readTask } from '../document/task.ts';
import { parentIdOf, parseTaskId, type TaskId } from '../ids.ts';

export interface PreparedTasks {
  readonly documents: readonly JsonObject[];
  /** Paths start at the root of the list: `tasks[3].title`. */
  readonly findings: readonly Finding[];
}

export interface Preparation {
  /** `{"tasks": [task, …]}` */
  readonly given: JsonValue;
  readonly file: SourceFile;
  /** The documents of existing tasks. */
  readonly existing: readonly JsonObject[];
  /** Make all of them subtasks of this task. */
  readonly parent?: TaskId;
}

export function prepareTasks(preparation: Preparation): PreparedTasks {
  const { given, file, existing } = preparation;
  const list = isJsonObject(given) ? given['tasks'] : undefined;
  const wrong = (at: readonly (string | number)[], message: string): Finding => ({
    rule: 'task/wrong-type',
    file,
    at,
    message,
  });
  if (!Array.isArray(list)) return { documents: [], findings: [wrong(['tasks'], 'must be a list of tasks')] };
  if (list.length === 0) return { documents: [], findings: [wrong(['tasks'], 'must not be empty')] };
  const notObjects = list.flatMap((each: JsonValue, index) =>
    isJsonObject(each) ? [] : [wrong(['tasks', index], 'must be an object')],
  );
  if (notObjects.length > 0) return { documents: [], findings: notObjects };
  const documents = withIds(list as readonly JsonObject[], preparation);
  return { documents, findings: check({ documents, file, existing }) };
}

/** Gives a task without an id the next free one; with a parent, that of a subtask. */
function withIds(list: readonly JsonObject[], { existing, parent }: Preparation): readonly JsonObject[] {
  const free = new FreeIds(
    [...existing, ...list].flatMap((each) => parseTaskId(String(each['id'] ?? '')) ?? []),
  );
  return list.map((source) => {
    const own = parent ?? parentOf(source);
    const { id } = source;
    if (id === undefined || id === null || id === '') return completedTask(source, free.next(own));
    return completedTask(source, id as TaskId);
  });
}

function parentOf(source: JsonObject): TaskId | undefined {
  const context = isJsonObject(source['context']) ? source['context'] : {};
  const named = parseTaskId(String(context['parent'] ?? ''));
  if (named !== undefined) return named;
  const id = parseTaskId(String(source['id'] ?? ''));
  return id === undefined ? undefined : parentIdOf(id);
}

interface Checked {
  readonly documents: readonly JsonObject[];
  readonly file: SourceFile;
  readonly existing: readonly JsonObject[];
}

function check(given: Checked): readonly Finding[] {
  const place = (index: number): string => `tasks[${index}]`;
  const asFile = (source: JsonObject, path: string): TaskFile => {
    const named = parseTaskId(String(source['id'] ?? ''));
    const task = readTask(source);
    return {
      file: { path, text: JSON.stringify(source) },
      name: `${String(source['id'])}.json`,
      named,
      source,
      ...defined({ task }),
    };
  };
  const there = given.existing.map((source) => asFile(source, 'existing'));
  const files = given.documents.map((source, index) => asFile(source, place(index)));
  const indexes = new Map(given.documents.map((_, index) => [place(index), index]));
  const found = checkTasks(files, there)
    .filter(({ rule }) => rule !== 'task/container-status')
    // The files do not exist yet, so only the id can be wrong.
    .filter(({ rule, at }) => rule !== 'task/malformed-id' || at.length > 0)
    .flatMap((finding) => {
      const index = indexes.get(finding.file.path);
      return index === undefined
        ? []
        : [{ ...finding, file: given.file, at: ['tasks', index, ...finding.at] }];
    });
  return [...found, ...partsOfClosed(given)];
}

/** A task that is active or completed was worked on without knowing of subtasks. */
function partsOfClosed(given: Checked): readonly Finding[] {
  const status = new Map(given.existing.map((task) => [task['id'], task['status']]));
  const divided = new Set(given.existing.map(parentOf));
  return given.documents.flatMap((document, index) => {
    const parent = parentOf(document);
    const is = parent === undefined || divided.has(parent) ? undefined : status.get(parent);
    if (is !== 'active' && is !== 'completed') return [];
    const message = `belongs to \`${parent}\`, which is ${is} and can no longer be decomposed`;
    return [{ rule: 'task/closed-parent', file: given.file, at: ['tasks', index], message }];
  });
}

/** One line per finding, for the author of the list, who can correct even what has a default. */
export function findingLines(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ rule }) => rule !== 'task/unknown-type')
    .map(
      ({ at, message, help }) => `${jsonPathText(at)}: ${message}${help === undefined ? '' : ` (${help})`}`,
    );
}
