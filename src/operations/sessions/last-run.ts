/** What the last run of a session asks, and how it left the tasks that it had started. */
import type { SessionFile } from '../../session/document/session-file.ts';
import type { TaskOutline } from '../../session/document/task.ts';
import { type OutlineGraph, readyTasks } from '../../session/document/task-graph.ts';
import { lastRun } from '../../session/sessions/live-run.ts';
import { readRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';

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
  /** How many agent calls for each task ended with its process. */
  readonly interrupted: ReadonlyMap<string, number>;
}

/** What becomes of a task that is active. */
export type TaskActivity = 'running' | 'waiting for an answer' | 'waiting for review' | 'interrupted';

export const NO_RUN: LastRun = { isAlive: false, questions: [], interrupted: new Map() };

/** Tasks that can be executed now. If the last run is over, those that it left unfinished can; but not those that wait for an answer. */
export function readyNow(
  graph: OutlineGraph,
  { file, last }: { readonly file: SessionFile; readonly last: LastRun },
): readonly TaskOutline[] {
  const ready = readyTasks(graph, last.isAlive ? undefined : file.run_id);
  return ready.filter(({ id, status }) => status !== 'active' || activityOf(last, id) === 'interrupted');
}

export function readLastRun(site: Pick<Site, 'workspace'>, file: SessionFile): LastRun {
  const runId = lastRun(site.workspace, file);
  const run = runId === undefined ? undefined : readRun(site, runId);
  if (runId === undefined || run?.type !== 'ok') return NO_RUN;
  const interrupted = new Map<string, number>();
  const { waiting_for: waiting = {}, interrupted_calls: calls = {} } = run.value.state;
  for (const key of Object.keys(calls)) interrupted.set(taskIn(key), (interrupted.get(taskIn(key)) ?? 0) + 1);
  const questions = Object.entries(waiting).map(([key, { message, choices }]) => ({
    ...{ runId, key, message, choices },
  }));
  return { isAlive: run.value.isAlive, questions, interrupted };
}

export function activityOf({ isAlive, questions }: LastRun, task: string): TaskActivity {
  const question = questions.find(({ key }) => taskIn(key) === task);
  if (question !== undefined)
    return question.key === `${task}/review` ? 'waiting for review' : 'waiting for an answer';
  return isAlive ? 'running' : 'interrupted';
}

/** `IMPL-1/check` → `IMPL-1`. */
function taskIn(key: string): string {
  return key.split('/', 1)[0] ?? key;
}
