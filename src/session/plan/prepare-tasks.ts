/** From a list of tasks as an agent or a file gives it to documents that may be written: ids, missing parts, and every finding. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';
import { checkTasks } from '../check/check-tasks.ts';
import type { Finding } from '../check/finding.ts';
import { jsonPathText } from '../document/locate-json.ts';
import { completedTask } from '../document/new-task.ts';
import type { TaskFile } from '../document/read-tasks.ts';
import { readTask } from '../document/task.ts';
import { numbersOf, parseTaskId, type TaskId, taskId } from '../ids.ts';

export interface PreparedTasks {
  readonly documents: readonly JsonObject[];
  /** Their places count from the whole: `tasks[3].title`. */
  readonly findings: readonly Finding[];
}

export interface Preparation {
  /** `{"tasks": [task, …]}` */
  readonly given: JsonValue;
  readonly file: SourceFile;
  /** The documents of the tasks that are there already. */
  readonly existing: readonly JsonObject[];
  /** All of them become subtasks of this one. */
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
  if (list.length === 0) return { documents: [], findings: [wrong(['tasks'], 'holds no task')] };
  const notObjects = list.flatMap((each: JsonValue, index) =>
    isJsonObject(each) ? [] : [wrong(['tasks', index], 'must be an object')],
  );
  if (notObjects.length > 0) return { documents: [], findings: notObjects };
  const documents = withIds(list as readonly JsonObject[], preparation);
  return { documents, findings: check({ documents, file, existing }) };
}

/** A task without an id gets the next free one; a parent makes it a subtask. */
function withIds(list: readonly JsonObject[], { existing, parent }: Preparation): readonly JsonObject[] {
  const used = [...existing, ...list]
    .map((each) => parseTaskId(String(each['id'] ?? '')))
    .filter((id) => id !== undefined);
  const next = (of: TaskId | undefined): TaskId => {
    const among = used.filter((id) => of === undefined || numbersOf(id)[0] === numbersOf(of)[0]);
    const highest = Math.max(0, ...among.map((id) => numbersOf(id)[of === undefined ? 0 : 1]));
    const id = of === undefined ? taskId(highest + 1) : taskId(of, highest + 1);
    used.push(id);
    return id;
  };
  return list.map((source) => {
    const context = isJsonObject(source['context']) ? source['context'] : {};
    const own = parent ?? parseTaskId(String(context['parent'] ?? ''));
    const id = typeof source['id'] === 'string' && source['id'] !== '' ? source['id'] : next(own);
    return completedTask(source, id as TaskId);
  });
}

function check(given: {
  readonly documents: readonly JsonObject[];
  readonly file: SourceFile;
  readonly existing: readonly JsonObject[];
}): readonly Finding[] {
  const place = (index: number): string => `tasks[${index}]`;
  const asFile = (source: JsonObject, path: string): TaskFile => {
    const named = parseTaskId(String(source['id'] ?? ''));
    const task = readTask(source);
    return {
      file: { path, text: JSON.stringify(source) },
      name: `${String(source['id'])}.json`,
      named,
      source,
      ...(task === undefined ? {} : { task }),
    };
  };
  const there = given.existing.map((source) => asFile(source, 'existing'));
  const files = given.documents.map((source, index) => asFile(source, place(index)));
  const indexes = new Map(given.documents.map((_, index) => [place(index), index]));
  return checkTasks(files, there)
    .filter(({ rule }) => rule !== 'task/container-status')
    .flatMap((finding) => {
      const index = indexes.get(finding.file.path);
      return index === undefined
        ? []
        : [{ ...finding, file: given.file, at: ['tasks', index, ...finding.at] }];
    });
}

/** One line each, for whoever made the list. */
export function findingLines(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ severity }) => severity !== 'warning')
    .map(
      ({ at, message, help }) => `${jsonPathText(at)}: ${message}${help === undefined ? '' : ` (${help})`}`,
    );
}
