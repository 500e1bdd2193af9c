/** The progress of a session. */
import type { JsonObject } from '../../model/json.ts';
import type { Spent } from '../../model/record.ts';
import { ok, type Result } from '../../model/result.ts';
import { addCall } from '../../model/sum-spent.ts';
import { sessionComplexity } from '../../session/document/complexity.ts';
import type { Complexity, SessionFile } from '../../session/document/session-file.ts';
import { countTasks, type TaskCounts } from '../../session/document/task-graph.ts';
import type { SessionId, TaskId } from '../../session/ids.ts';
import { runningProcess } from '../../session/sessions/live-run.ts';
import { activeSession } from '../../session/sessions/sessions.ts';
import { loadOutline } from '../../session/sessions/tasks.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { readLastRun, readyNow, type SessionQuestion } from './last-run.ts';
import { stateOf } from './list-sessions.ts';
import { type ListedTask, listedTask, taskSummary } from './listed-task.ts';
import { openSession } from './open-session.ts';
import { planningCost } from './planning-cost.ts';

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
  /** Files of `.task` that cannot be read as tasks. */
  readonly stray: readonly string[];
}

/** Each task that an agent worked on counts as one call, and each of its calls of unknown cost as one more. */
export interface SessionCost {
  readonly cost_usd: number;
  readonly agent_calls: number;
  readonly unknown_cost_calls: number;
}

export function readSession(
  site: Pick<Site, 'workspace'>,
  { session: name }: { readonly session?: string | undefined },
): Result<ReadSession, Problem> {
  const opened = openSession(site, name);
  if (opened.type === 'error') return opened;
  const session = opened.value;
  const { id, file, isArchived } = session;
  const { graph, stray } = loadOutline(session);
  const counts = countTasks(graph);
  const running = runningProcess(site.workspace, file);
  const last = readLastRun(site, file);
  const tasks = graph.tasks.map((task) => listedTask(graph, task, last));
  return ok({
    id,
    file,
    state: stateOf(session, activeSession(site.workspace)),
    complexity: sessionComplexity(file, counts.total),
    isArchived,
    ...(running === undefined ? {} : { running: { runId: running.runId, pid: running.held.owner.pid } }),
    questions: last.questions,
    counts,
    cost: costOf(tasks, planningCost(site, file)),
    ready: readyNow(graph, { file, last }).map((task) => task.id),
    tasks,
    stray,
  });
}

function costOf(tasks: readonly ListedTask[], planning: readonly Spent[]): SessionCost {
  const sums = { cost_usd: 0, agent_calls: 0, unknown_cost_calls: 0 };
  for (const spent of [...tasks.flatMap(({ spent }) => spent ?? []), ...planning]) addCall(sums, spent);
  return sums;
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
    ...(session.stray.length === 0 ? {} : { not_tasks: session.stray }),
    tree: tasks
      .filter((task) => !isPart(task))
      .map((task) => ({ ...taskSummary(task), subtasks: parts.get(task.id) ?? [] })),
  };
}
