/** Checks the integrity rules of a session's tasks and reports all findings at once. */

import { parseJson } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';
import { jsonProblem } from '../../store/locate-json-error.ts';
import { scriptOf } from '../document/command.ts';
import type { TaskFile } from '../document/read-tasks.ts';
import type { Task } from '../document/task.ts';
import { createTaskGraph, findCycle, isLeaf, type TaskGraph } from '../document/task-graph.ts';
import { placeOf } from '../document/task-parts.ts';
import { compareTaskIds, numberText, parseTaskId, type TaskId } from '../ids.ts';
import { ACCEPTANCE_COMMAND, checkScript } from './check-flow-control.ts';
import { checkTask } from './check-task.ts';
import type { Finding } from './finding.ts';
import { WARNING } from './report.ts';

/** `there`: existing valid tasks, which may be referred to and are not checked. */
export function checkTasks(files: readonly TaskFile[], there: readonly TaskFile[] = []): readonly Finding[] {
  const findings: Finding[] = [];
  const readable = files.filter(isReadable);
  const all = [...there.filter(isReadable), ...readable];
  for (const file of files) findings.push(...checkFile(file));
  const checked = new Set(files.map(({ file }) => file));
  findings.push(...checkUnique(all).filter(({ file }) => checked.has(file)));
  const graph = createTaskGraph([...new Map(all.map(({ task }) => [task.id, task])).values()]);
  for (const { task, file } of readable) findings.push(...checkLinks(task, file, graph));
  findings.push(...checkRings(readable, graph));
  return findings.sort((a, b) => byFile(a.file.path, b.file.path));
}

type ReadableFile = TaskFile & { readonly task: Task };

function isReadable(file: TaskFile): file is ReadableFile {
  return file.task !== undefined;
}

function checkFile(taskFile: TaskFile): readonly Finding[] {
  const { file, source, named, name } = taskFile;
  if (source === undefined) return [notJson(file)];
  const findings = [...checkTask(source, file)];
  const isTooDeep = /^[A-Za-z]{2,12}-\d+(?:\.\d+){2,}\.json$/.test(name);
  if (named === undefined && !isTooDeep) {
    findings.push({
      rule: 'task/malformed-id',
      file,
      at: [],
      message: `the file \`${name}\` is not named \`IMPL-N.json\` or \`IMPL-N.M.json\``,
    });
  } else if (taskFile.task !== undefined && source['id'] !== undefined && source['id'] !== named) {
    const isRead = taskFile.task.id === named;
    findings.push({
      rule: 'task/malformed-id',
      file,
      at: ['id'],
      message: `is \`${String(source['id'])}\`, but the file is named \`${name}\``,
      help: isRead ? `it is read as \`${named}\`` : 'rename the file or change the id so that they match',
      ...(isRead ? WARNING : {}),
    });
  }
  return [...findings, ...checkAcceptance(taskFile)];
}

function checkAcceptance({ task, file }: TaskFile): readonly Finding[] {
  const findings: Finding[] = [];
  task?.acceptance.forEach((entry, index) => {
    if (!ACCEPTANCE_COMMAND.test(entry)) return;
    const command = entry.replace(ACCEPTANCE_COMMAND, '');
    checkScript(scriptOf(command) ?? command, ['context', 'acceptance', index], {
      outputs: task.preAnalysis.flatMap((step) => step.outputTo ?? []),
      report: (rule, at, message, more) => findings.push({ rule, file, at, message, ...more }),
    });
  });
  return findings;
}

function notJson(file: SourceFile): Finding {
  let problem = { offset: 0, message: 'the file is not a JSON object' };
  try {
    parseJson(file.text);
  } catch (cause) {
    problem = jsonProblem(file.text, cause);
  }
  return {
    rule: 'task/not-json',
    file,
    at: [],
    message: problem.message,
    offsets: { start: problem.offset, end: problem.offset + 1 },
  };
}

function checkUnique(files: readonly ReadableFile[]): readonly Finding[] {
  const first = new Map<string, ReadableFile>();
  const findings: Finding[] = [];
  for (const each of [...files].sort((a, b) => byFile(a.file.path, b.file.path))) {
    const number = numberText(each.task.id);
    const other = first.get(number);
    if (other === undefined) first.set(number, each);
    else {
      findings.push({
        rule: 'task/duplicate-id',
        file: each.file,
        at: ['id'],
        message: `is \`${each.task.id}\`, which \`${other.name}\` already uses`,
      });
    }
  }
  return findings;
}

function checkLinks(task: Task, file: SourceFile, graph: TaskGraph): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (finding: Omit<Finding, 'file'>): void => void findings.push({ ...finding, file });
  const { parent } = task;
  if (parent !== undefined && !graph.byId.has(parent)) {
    add({
      rule: 'task/missing-parent',
      at: placeOf(task.source, 'context', 'parent'),
      message: `names \`${parent}\`, which does not exist`,
      help: '`orchestrate repair` recreates a missing parent',
      ...WARNING,
    });
  }
  const dependencies = placeOf(task.source, 'context', 'depends_on');
  task.dependsOn.forEach((named, index) => {
    const id = graph.aliases.get(named) ?? named;
    const at = [...dependencies, index];
    if (!graph.byId.has(id)) {
      add({ rule: 'task/missing-dependency', at, message: `names \`${id}\`, which does not exist` });
    } else if (id === parent) {
      add({
        rule: 'task/depends-on-parent',
        at,
        message: `names \`${id}\`, the task's own parent`,
      });
    }
  });
  if (task.status === 'container' && isLeaf(graph, task.id)) {
    add({
      rule: 'task/container-status',
      at: ['status'],
      message: 'is `container`, but the task has no subtasks',
      help: '`orchestrate repair` resets it to `pending`',
    });
  }
  return findings;
}

/** Every cycle that shares no task with one already reported. */
function checkRings(files: readonly ReadableFile[], graph: TaskGraph): readonly Finding[] {
  const isOnParent = (task: Task): boolean => task.dependsOn.some((id) => id === task.parent);
  const fileOf = new Map(files.map(({ task, file }) => [task.id, file]));
  const findings: Finding[] = [];
  // Already reported; they would be found again as a cycle.
  let rest = createTaskGraph(graph.tasks.filter((task) => !isOnParent(task)));
  for (let ring = findCycle(rest); ring !== undefined; ring = findCycle(rest)) {
    const members = new Set(ring);
    rest = createTaskGraph(rest.tasks.filter(({ id }) => !members.has(id)));
    findings.push(...ringFinding([...members], fileOf, graph));
  }
  return findings;
}

/** Reported on a task that itself names the next one as a dependency, if there is one. */
function ringFinding(
  members: readonly TaskId[],
  fileOf: ReadonlyMap<TaskId, SourceFile>,
  graph: TaskGraph,
): readonly Finding[] {
  const places = members.flatMap((id, start) => {
    const file = fileOf.get(id);
    const turned = [...members.slice(start), ...members.slice(0, start), id];
    const index = graph.byId.get(id)?.dependsOn.indexOf(turned[1] ?? id) ?? -1;
    return file === undefined ? [] : [{ file, turned, index }];
  });
  const place = places.find(({ index }) => index !== -1) ?? places[0];
  if (place === undefined) return [];
  const { file, turned, index } = place;
  return [
    {
      rule: 'task/dependency-cycle',
      file,
      at: index === -1 ? ['context'] : [...dependenciesOf(graph, turned[0]), index],
      message: `has a circular dependency: ${turned.map((id) => `\`${id}\``).join(' → ')}`,
    },
  ];
}

function dependenciesOf(graph: TaskGraph, id: TaskId | undefined): readonly string[] {
  const source = id === undefined ? undefined : graph.byId.get(id)?.source;
  return placeOf(source ?? {}, 'context', 'depends_on');
}

/** Sorted by task number, then by name. */
function byFile(a: string, b: string): number {
  const [idA, idB] = [a, b].map((path) => parseTaskId(path.replace(/^.*\/|\.json$/g, '')));
  if (idA !== undefined && idB !== undefined) return compareTaskIds(idA, idB);
  return a < b ? -1 : a > b ? 1 : 0;
}
