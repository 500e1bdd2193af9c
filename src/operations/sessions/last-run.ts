/** What the last run of a session asks, and how it left the tasks that it had started. */
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { Spent } from '../../model/record.ts';
import type { SessionFile } from '../../session/document/session-file.ts';
import type { TaskOutline } from '../../session/document/task.ts';
import { type OutlineGraph, readyTasks } from '../../session/document/task-graph.ts';
import { lastRun } from '../../session/sessions/live-run.ts';
import { visitRunById } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { TaskSpending, taskIn } from './task-spending.ts';

export interface SessionQuestion {
  readonly runId: string;
  /** The key of the question: `IMPL-1/check`. */
  readonly key: string;
  readonly message: string;
  readonly choices: readonly string[];
}

export interface LastRun {
  readonly isAlive: boolean;
  readonly questions: readonly SessionQuestion[];
  readonly runId?: RunId;
  /** What it has spent on each task, also if the task has not ended. */
  readonly spent: ReadonlyMap<string, Spent>;
}

/** What becomes of a task that is active. */
export type TaskActivity = 'running' | 'waiting for an answer' | 'waiting for review' | 'interrupted';

export const NO_RUN: LastRun = { isAlive: false, questions: [], spent: new Map() };

/** Tasks that can be executed now. If the last run has ended, those that it left unfinished can; but not those that wait for an answer. */
export function readyNow(
  graph: OutlineGraph,
  { file, last }: { readonly file: SessionFile; readonly last: LastRun },
): readonly TaskOutline[] {
  const ready = readyTasks(graph, last.isAlive ? undefined : file.run_id);
  return ready.filter(({ id, status }) => status !== 'active' || activityOf(last, id) === 'interrupted');
}

export function readLastRun(site: Pick<Site, 'workspace'>, file: SessionFile): LastRun {
  const runId = lastRun(site.workspace, file);
  const spending = new TaskSpending();
  const visit = (event: JournalEvent): void => spending.apply(event);
  const run = runId === undefined ? undefined : visitRunById(site, runId, visit);
  if (runId === undefined || run?.type !== 'ok') return NO_RUN;
  const { isAlive } = run.value;
  const { waiting_for: waiting = {} } = run.value.state;
  const questions = Object.entries(waiting).map(([key, { message, choices }]) => ({
    ...{ runId, key, message, choices },
  }));
  return { runId, isAlive, questions, spent: spending.byTask(isAlive) };
}

export function activityOf({ isAlive, questions }: LastRun, task: string): TaskActivity {
  const question = questions.find(({ key }) => taskIn(key) === task);
  if (question !== undefined)
    return question.key === `${task}/review` ? 'waiting for review' : 'waiting for an answer';
  return isAlive ? 'running' : 'interrupted';
}
