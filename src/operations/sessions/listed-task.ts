/** A task as lists and trees show it. */
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import type { TaskOutline, TaskStatus } from '../../session/document/task.ts';
import { isLeaf, type OutlineGraph, openDependencies, statusOf } from '../../session/document/task-graph.ts';
import type { TaskId } from '../../session/ids.ts';

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
  readonly lastError?: string;
  /** Its finished work is on this branch and not merged. */
  readonly keptBranch?: string;
  /** `null`: an agent worked on it and did not report its cost. */
  readonly costUsd?: number | null;
  readonly workedMs?: number;
}

export function listedTask(graph: OutlineGraph, task: TaskOutline): ListedTask {
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
    ...defined({ costUsd: execution.costUsd, workedMs: execution.workedMs }),
  };
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
    ...defined({ last_error: task.lastError, kept_branch: task.keptBranch }),
    ...defined({ cost_usd: task.costUsd, worked_ms: task.workedMs }),
  };
}
