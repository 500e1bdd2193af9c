/** A task as lists and trees show it. */
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Spent } from '../../model/record.ts';
import { type FiguresByRun, sumFigures } from '../../session/document/figures.ts';
import { figuresByRun, type TaskOutline, type TaskStatus } from '../../session/document/task.ts';
import { isLeaf, type OutlineGraph, openDependencies, statusOf } from '../../session/document/task-graph.ts';
import type { TaskId } from '../../session/ids.ts';
import { activityOf, type LastRun, type TaskActivity } from './last-run.ts';

export interface ListedTask {
  readonly id: TaskId;
  readonly title: string;
  /** For a container, derived from its subtasks. */
  readonly status: TaskStatus;
  readonly type: string;
  readonly agent: string;
  readonly parent?: TaskId;
  /** It has subtasks. */
  readonly isContainer: boolean;
  readonly dependsOn: readonly TaskId[];
  /** Dependencies that are not completed yet. */
  readonly waitsFor: readonly TaskId[];
  /** For an active task: what the last run does about it. */
  readonly activity?: TaskActivity;
  readonly lastError?: string;
  /** Its finished work is on this branch and not merged. */
  readonly keptBranch?: string;
  /** Absent if no agent worked on it. */
  readonly spent?: Spent;
  readonly workedMs?: number;
}

export function listedTask(graph: OutlineGraph, task: TaskOutline, last: LastRun): ListedTask {
  const { id, title, type, agent, parent, dependsOn, execution } = task;
  const isContainer = !isLeaf(graph, id);
  const isOpen = !isContainer && task.status !== 'completed';
  return {
    id,
    title,
    status: statusOf(graph, id) ?? task.status,
    type,
    agent,
    ...defined({ parent }),
    isContainer,
    dependsOn,
    waitsFor: isOpen ? openDependencies(graph, task) : [],
    ...defined({ lastError: execution.lastError, keptBranch: execution.keptBranch }),
    ...(!isContainer && task.status === 'active' ? { activity: activityOf(last, id) } : {}),
    ...defined({ spent: spentOn(task, last), workedMs: execution.workedMs }),
  };
}

function spentOn(task: TaskOutline, last: LastRun): Spent | undefined {
  const figures = currentFigures(task, last);
  return figures === undefined ? task.execution.spent : sumFigures(Object.values(figures)).spent;
}

/**
 * With what the last run has spent so far: the document has that only when the task has ended, the journal has it anyway. Undefined: the
 * last run has spent nothing on it.
 */
export function currentFigures({ id, execution }: TaskOutline, last: LastRun): FiguresByRun | undefined {
  const spent = last.spent.get(id);
  if (spent === undefined || last.runId === undefined) return undefined;
  const figures = figuresByRun(execution);
  return { ...figures, [last.runId]: { ...figures[last.runId], spent } };
}

/** Its JSON form. */
export function taskSummary(task: ListedTask): JsonObject {
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    type: task.type,
    agent: task.agent,
    depends_on: task.dependsOn,
    waits_for: task.waitsFor,
    ...defined({ activity: task.activity }),
    ...defined({ last_error: task.lastError, kept_branch: task.keptBranch }),
    ...defined({
      cost_usd: task.spent?.costUsd,
      unknown_cost_calls: task.spent?.unknownCalls,
      worked_ms: task.workedMs,
    }),
  };
}
