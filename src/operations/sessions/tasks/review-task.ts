/** The changes of a task that worked in a worktree, and the answer to its review. */
import { error, ok, type Result } from '../../../model/result.ts';
import { findTask, loadGraph } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import { answerQuestion, type QuestionAnswered } from '../../runs/answer-question.ts';
import { readDiffs, type WorkDiff } from '../../runs/read-diffs.ts';
import type { Site } from '../../site.ts';
import { openSession } from '../open-session.ts';
import type { GetTask } from './get-task.ts';

export function diffTask(site: Site, asked: GetTask): Result<readonly WorkDiff[], Problem> {
  const run = runOf(site, asked);
  return run.type === 'error' ? run : readDiffs(site, { run: run.value.run, step: run.value.id });
}

export interface ReviewTask extends GetTask {
  readonly choice: 'accept' | 'reject';
  readonly comment?: string | undefined;
  readonly by?: string | undefined;
}

export function reviewTask(site: Site, asked: ReviewTask): Result<QuestionAnswered, Problem> {
  const run = runOf(site, asked);
  if (run.type === 'error') return run;
  const { choice, comment, by } = asked;
  const question = `${run.value.id}/review`;
  return answerQuestion(site, { run: run.value.run, question, choice, comment, by });
}

/** The run that last worked on it. */
function runOf(site: Site, asked: GetTask): Result<{ readonly id: string; readonly run: string }, Problem> {
  const session = openSession(site, asked.session);
  if (session.type === 'error') return session;
  const found = findTask(loadGraph(session.value), asked.task);
  if (found.type === 'error') return found;
  const { id, execution } = found.value;
  if (execution.runId === undefined) return error({ type: 'task-never-run', task: id });
  return ok({ id, run: execution.runId });
}
