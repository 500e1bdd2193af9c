/** The integrity rules of a session's tasks, all findings at once. */
import type { SourceFile } from '../../model/source.ts';
import { locateJsonError } from '../../store/locate-json-error.ts';
import type { TaskFile } from '../document/read-tasks.ts';
import type { Task } from '../document/task.ts';
import { compareTaskIds, numbersOf, parentIdOf, parseTaskId, type TaskId } from '../ids.ts';
import { scriptOf } from '../script.ts';
import { createTaskGraph, findCycle, isLeaf, type TaskGraph } from '../task-graph.ts';
import { ACCEPTANCE_COMMAND, checkScript } from './check-flow-control.ts';
import { checkTask } from './check-task.ts';
import type { Finding } from './finding.ts';

export function checkTasks(files: readonly TaskFile[]): readonly Finding[] {
  const findings: Finding[] = [];
  const readable = files.filter(
    (file): file is TaskFile & { readonly task: Task } => file.task !== undefined,
  );
  for (const file of files) findings.push(...checkFile(file));
  findings.push(...checkUnique(readable));
  const graph = createTaskGraph([...new Map(readable.map(({ task }) => [task.id, task])).values()]);
  for (const { task, file } of readable) findings.push(...checkLinks(task, file, graph));
  findings.push(...checkCycle(readable, graph));
  return findings.sort((a, b) => byFile(a.file.path, b.file.path));
}

function checkFile(taskFile: TaskFile): readonly Finding[] {
  const { file, source, named, name } = taskFile;
  if (source === undefined) return [notJson(file)];
  const findings = [...checkTask(source, file)];
  const isTooDeep = /^IMPL-\d+(?:\.\d+){2,}\.json$/.test(name);
  if (named === undefined && !isTooDeep) {
    findings.push({
      rule: 'task/malformed-id',
      file,
      at: [],
      message: `the file \`${name}\` is not named \`IMPL-N.json\` or \`IMPL-N.M.json\``,
    });
  } else if (taskFile.task !== undefined && taskFile.task.id !== named) {
    findings.push({
      rule: 'task/malformed-id',
      file,
      at: ['id'],
      message: `is \`${taskFile.task.id}\`, and the file is named \`${name}\``,
      help: 'a task is found by the name of its file: make the two agree',
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
  let problem = { offset: 0, message: 'the file does not hold a JSON object' };
  try {
    JSON.parse(file.text);
  } catch {
    problem = locateJsonError(file.text);
  }
  return {
    rule: 'task/not-json',
    file,
    at: [],
    message: problem.message,
    offsets: { start: problem.offset, end: problem.offset + 1 },
  };
}

function checkUnique(files: readonly (TaskFile & { readonly task: Task })[]): readonly Finding[] {
  const first = new Map<string, TaskFile & { readonly task: Task }>();
  const findings: Finding[] = [];
  for (const each of [...files].sort((a, b) => byFile(a.file.path, b.file.path))) {
    const number = numbersOf(each.task.id).join('.');
    const other = first.get(number);
    if (other === undefined) first.set(number, each);
    else {
      findings.push({
        rule: 'task/duplicate-id',
        file: each.file,
        at: ['id'],
        message: `is \`${each.task.id}\`, which \`${other.name}\` has already`,
      });
    }
  }
  return findings;
}

function checkLinks(task: Task, file: SourceFile, graph: TaskGraph): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (finding: Omit<Finding, 'file'>): void => void findings.push({ ...finding, file });
  const byForm = parentIdOf(task.id);
  const { parent } = task;
  if (parent !== undefined && !graph.byId.has(parent)) {
    add({
      rule: 'task/missing-parent',
      at: ['context', 'parent'],
      message: `names \`${parent}\`, and there is no such task`,
      help: '`orchestrate repair` makes a missing parent again',
    });
  }
  if (parent !== byForm) {
    const [at, message] =
      byForm === undefined
        ? [['context', 'parent'], `is \`${parent}\`, and \`${task.id}\` is a main task`]
        : [['context'], `of \`${task.id}\` must name \`${byForm}\` as \`parent\``];
    add({ rule: 'task/missing-parent', at: at as string[], message: message as string });
  }
  if (parent !== undefined && parentIdOf(parent) !== undefined) {
    add({ rule: 'task/too-deep', at: ['context', 'parent'], message: `is \`${parent}\`, itself a subtask` });
  }
  task.dependsOn.forEach((id, index) => {
    const at = ['context', 'depends_on', index];
    if (!graph.byId.has(id)) {
      add({ rule: 'task/missing-dependency', at, message: `names \`${id}\`, and there is no such task` });
    } else if (id === parent || id === byForm) {
      add({
        rule: 'task/depends-on-parent',
        at,
        message: `names \`${id}\`, the task's own parent, which is completed only after it`,
      });
    }
  });
  if (task.status === 'container' && isLeaf(graph, task.id)) {
    add({
      rule: 'task/container-status',
      at: ['status'],
      message: 'is `container`, and the task has no subtasks',
      help: '`orchestrate repair` makes it `pending` again',
    });
  }
  return findings;
}

function checkCycle(
  files: readonly (TaskFile & { readonly task: Task })[],
  graph: TaskGraph,
): readonly Finding[] {
  const isOnParent = (task: Task): boolean =>
    task.dependsOn.some((id) => id === task.parent || id === parentIdOf(task.id));
  // Those are said already, and would be found again as a ring.
  const rest = createTaskGraph(graph.tasks.filter((task) => !isOnParent(task)));
  const ring = findCycle(rest);
  const [first, second] = ring ?? [];
  const file = files.find(({ task }) => task.id === first)?.file;
  if (ring === undefined || first === undefined || file === undefined) return [];
  const index = graph.byId.get(first)?.dependsOn.indexOf(second as TaskId) ?? -1;
  return [
    {
      rule: 'task/dependency-cycle',
      file,
      at: index === -1 ? ['context'] : ['context', 'depends_on', index],
      message: `begins a ring of tasks that wait for each other: ${ring.map((id) => `\`${id}\``).join(' → ')}`,
    },
  ];
}

/** By the number of the task, then by name. */
function byFile(a: string, b: string): number {
  const [idA, idB] = [a, b].map((path) => parseTaskId(path.replace(/^.*\/|\.json$/g, '')));
  if (idA !== undefined && idB !== undefined) return compareTaskIds(idA, idB);
  return a < b ? -1 : a > b ? 1 : 0;
}
