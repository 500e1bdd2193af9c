/** Completes a task by hand, with a summary, or opens a closed one again. */
import { error, type Result } from '../../../model/result.ts';
import { runningProcess } from '../../../session/sessions/live-run.ts';
import { findTask, loadGraph } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { openSession } from '../open-session.ts';
import { changeTask, type TaskUpdated } from './update-task.ts';

export interface CloseTask {
  /** Default: the active session. */
  readonly session?: string | undefined;
  readonly task: string;
  /** What was done, for the tasks that depend on it. */
  readonly summary?: string | undefined;
}

/** Problem while a run works on it: its result would be overwritten. */
export async function completeTask(site: Site, asked: CloseTask): Promise<Result<TaskUpdated, Problem>> {
  const busy = whyBusy(site, asked);
  if (busy !== undefined) return error(busy);
  if (asked.summary !== undefined && asked.summary.trim() === '') return error({ type: 'empty-summary' });
  const summary = asked.summary === undefined ? {} : { summaryText: asked.summary.trimEnd() };
  return changeTask(site, asked, { status: 'completed', ...summary });
}

export async function reopenTask(site: Site, asked: CloseTask): Promise<Result<TaskUpdated, Problem>> {
  const session = openSession(site, asked.session);
  if (session.type === 'error') return session;
  const found = findTask(loadGraph(session.value), asked.task);
  if (found.type === 'error') return found;
  const { id, status } = found.value;
  if (status === 'pending') return error({ type: 'task-already-open', task: id });
  const busy = whyBusy(site, asked);
  return busy === undefined ? changeTask(site, asked, { status: 'pending' }) : error(busy);
}

function whyBusy(site: Site, { session: name, task }: CloseTask): Problem | undefined {
  const session = openSession(site, name);
  if (session.type === 'error') return session.error;
  const running = runningProcess(site.workspace, session.value.file);
  const found = findTask(loadGraph(session.value), task);
  if (found.type === 'error') return found.error;
  const { id, status, execution } = found.value;
  if (running === undefined || status !== 'active' || execution.runId !== running.runId) return undefined;
  return { type: 'task-in-progress', task: id, runId: running.runId };
}
