/** The progress of a session. */
import type { JsonObject } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import { sessionComplexity } from '../../session/document/complexity.ts';
import type { Complexity, SessionFile } from '../../session/document/session-file.ts';
import {
  countTasks,
  type OutlineGraph,
  readyTasks,
  type TaskCounts,
} from '../../session/document/task-graph.ts';
import type { SessionId, TaskId } from '../../session/ids.ts';
import { lastRun, runningProcess } from '../../session/sessions/live-run.ts';
import type { Session } from '../../session/sessions/sessions.ts';
import { loadOutline } from '../../session/sessions/tasks.ts';
import type { Refused } from '../problem.ts';
import { readRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { stateOf } from './list-sessions.ts';
import { type ListedTask, listedTask, taskSummary } from './listed-task.ts';
import { openSession } from './open-session.ts';

export interface ReadSession {
  readonly id: SessionId;
  /** Path of its document. */
  readonly file: SessionFile;
  readonly state: string;
  readonly complexity: Complexity;
  readonly isArchived: boolean;
  /** The run that is executing its tasks. */
  readonly running?: { readonly runId: string; readonly pid: number };
  /** What its last run asks. */
  readonly questions: readonly SessionQuestion[];
  readonly counts: TaskCounts;
  readonly cost: SessionCost;
  /** Tasks that can be executed now. */
  readonly ready: readonly TaskId[];
  /** In id order. */
  readonly tasks: readonly ListedTask[];
}

export interface SessionQuestion {
  readonly runId: string;
  /** The key of the question: `IMPL-1/check`. */
  readonly key: string;
  readonly message: string;
  readonly choices: readonly string[];
}

function questionsOf(site: Pick<Site, 'workspace'>, file: SessionFile): readonly SessionQuestion[] {
  const runId = lastRun(site.workspace, file);
  const run = runId === undefined ? undefined : readRun(site, runId);
  if (runId === undefined || run?.type !== 'ok') return [];
  return Object.entries(run.value.state.waiting_for ?? {}).map(([key, { message, choices }]) => ({
    ...{ runId, key, message, choices },
  }));
}

/** Each task that an agent worked on counts as one call. */
export interface SessionCost {
  readonly cost_usd: number;
  readonly agent_calls: number;
  readonly unknown_cost_calls: number;
}

export function readSession(
  site: Pick<Site, 'workspace'>,
  { session: name }: { readonly session?: string | undefined },
): Result<ReadSession, Refused> {
  const opened = openSession(site, name);
  if (opened.type === 'error') return opened;
  const session = opened.value;
  const { id, file, isArchived } = session;
  const graph = loadOutline(session);
  const counts = countTasks(graph);
  const running = runningProcess(site.workspace, file);
  // The last run that executed tasks, if none is running.
  const overRun = running === undefined ? file.run_id : undefined;
  return ok({
    id,
    file,
    state: stateOf(session),
    complexity: sessionComplexity(file, counts.total),
    isArchived,
    ...(running === undefined ? {} : { running: { runId: running.runId, pid: running.held.owner.pid } }),
    questions: questionsOf(site, file),
    counts,
    cost: costOf(session, graph),
    ready: readyTasks(graph, overRun).map((task) => task.id),
    tasks: graph.tasks.map((task) => listedTask(graph, task)),
  });
}

function costOf(session: Session, graph: OutlineGraph): SessionCost {
  const costs = graph.tasks.map((task) => task.execution.costUsd).filter((cost) => cost !== undefined);
  const planning = session.file.planning_cost_usd;
  if (planning !== undefined) costs.push(planning);
  return {
    cost_usd: costs.reduce((sum: number, cost) => sum + (cost ?? 0), 0),
    agent_calls: costs.length,
    unknown_cost_calls: costs.filter((cost) => cost === null).length,
  };
}

/** Its JSON form. */
export function sessionSummary(session: ReadSession): JsonObject {
  const { tasks } = session;
  const parts = new Map<TaskId, JsonObject[]>(tasks.map(({ id }) => [id, []]));
  const isPart = ({ parent }: ListedTask): boolean => parent !== undefined && parts.has(parent);
  for (const task of tasks) if (task.parent !== undefined) parts.get(task.parent)?.push(taskSummary(task));
  return {
    ...session.file,
    archived: session.isArchived,
    running: session.running ?? null,
    tasks: { ...session.counts },
    cost: { ...session.cost },
    questions: session.questions.map(({ runId, ...question }) => ({ run_id: runId, ...question })),
    ready: session.ready,
    tree: tasks
      .filter((task) => !isPart(task))
      .map((task) => ({ ...taskSummary(task), subtasks: parts.get(task.id) ?? [] })),
  };
}
