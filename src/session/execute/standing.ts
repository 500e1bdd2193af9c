/** What a running execution knows about the tasks of its session: the last look at their documents, and what it did itself. */
import type { ReadTasksOutput, StandingTask } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import type { TaskOutline, TaskStatus } from '../document/task.ts';
import { createTaskGraph, isLeaf, type OutlineGraph, statusOf } from '../document/task-graph.ts';
import { parentIdOf, parseTaskId, type TaskId } from '../ids.ts';
import type { PlannedTask } from './input.ts';
import { planTask } from './plan-execution.ts';

export class Standing {
  readonly #runId: string;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #tasks = new Map<TaskId, StandingTask>();
  /** Open when the run started, with the commands they had then: the user has agreed to those. */
  readonly #first = new Map<TaskId, StandingTask>();
  #graph: OutlineGraph | undefined;
  #isPaused = false;
  #isWidened = false;
  /** Undefined: to all. */
  #widenedTo: ReadonlySet<string> | undefined;
  #digest = '';

  constructor(runId: string, only: readonly string[] | undefined) {
    this.#runId = runId;
    this.#only = only === undefined ? undefined : new Set(only);
  }

  /** Looks are applied in the order in which they were taken. */
  apply(look: ReadTasksOutput): void {
    const isFirst = this.#digest === '';
    if (look.isWhole) this.#tasks.clear();
    for (const task of look.tasks) {
      const id = parseTaskId(task.id);
      if (id !== undefined) this.#tasks.set(id, task);
      if (id !== undefined && isFirst) this.#first.set(id, task);
    }
    for (const id of look.gone) this.#tasks.delete(id as TaskId);
    this.#isPaused = look.isPaused;
    this.#isWidened = look.isWidened === true;
    this.#widenedTo = look.widenedTo === undefined ? undefined : new Set(look.widenedTo);
    this.#digest = look.digest;
    this.#graph = undefined;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get digest(): string {
    return this.#digest;
  }

  /** `own`: how the tasks of this run stand, which counts more than an older look. */
  planned(own: ReadonlyMap<TaskId, TaskStatus>): readonly PlannedTask[] {
    this.#graph = createTaskGraph([...this.#tasks.values()].map((task) => outlineOf(task, own)));
    const graph = this.#graph;
    return graph.tasks
      .filter((task) => isLeaf(graph, task.id) && !own.has(task.id) && this.#isMeant(task))
      .map((task) => planTask(graph, { ...task, paths: this.#tasks.get(task.id)?.paths ?? [] }));
  }

  /** All its tasks that are not completed, in id order. */
  open(own: ReadonlyMap<TaskId, TaskStatus>): readonly TaskOutline[] {
    const graph = createTaskGraph([...this.#tasks.values()].map((task) => outlineOf(task, own)));
    return graph.tasks.filter(
      ({ id }) => isLeaf(graph, id) && this.#isWanted(id) && statusOf(graph, id) !== 'completed',
    );
  }

  /** Commands that were added meanwhile, and that the user has not agreed to. */
  isTrusted(id: TaskId): boolean {
    const task = this.#tasks.get(id);
    if (task === undefined || task.claims === '' || task.isTrusted) return true;
    return this.#first.get(id)?.claims === task.claims;
  }

  /** It was one of the tasks that the run was started for. */
  wasThere(id: TaskId): boolean {
    return this.#first.has(id) && this.#isNamed(id);
  }

  #isMeant({ id, status, execution }: TaskOutline): boolean {
    if (!this.#isWanted(id)) return false;
    if (status === 'pending') return true;
    const first = this.#first.get(id);
    // Left active by a run that died, or by an earlier process of this one.
    if (status === 'active') return execution.runId === this.#runId || first?.status === 'active';
    if (status !== 'blocked') return false;
    // Named to be tried again.
    const wasNamed = this.#only !== undefined && this.#isNamed(id) && first?.status === 'blocked';
    return wasNamed || (this.#isWidened && isIn(this.#widenedTo, id));
  }

  #isWanted(id: TaskId): boolean {
    const isAdded = this.#isWidened && (this.#widenedTo === undefined || isIn(this.#widenedTo, id));
    return isAdded || this.#isNamed(id);
  }

  #isNamed(id: TaskId): boolean {
    return this.#only === undefined || isIn(this.#only, id);
  }
}

/** A task that is named stands for its subtasks too. */
function isIn(names: ReadonlySet<string> | undefined, id: TaskId): boolean {
  return names !== undefined && (names.has(id) || names.has(parentIdOf(id) ?? id));
}

function outlineOf(task: StandingTask, own: ReadonlyMap<TaskId, TaskStatus>): TaskOutline {
  const id = task.id as TaskId;
  return {
    id,
    title: task.title,
    status: own.get(id) ?? (task.status as TaskStatus),
    type: '',
    agent: '',
    parent: parentIdOf(id),
    dependsOn: task.dependsOn as readonly TaskId[],
    execution: { attempts: 0, ...defined({ runId: task.runId }) },
    hasSummary: false,
  };
}
