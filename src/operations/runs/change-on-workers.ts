/** Changes of a run of any engine: what this machine cannot do alone, workers are asked for. */
import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import type { Workers } from '../workers.ts';
import { type AnswerInput, answerQuestion, checkAnswer, type QuestionAnswered } from './answer-question.ts';
import { askToEnd, type RunCancelled, type Unowned } from './cancel-run.ts';
import { readRunHeadInSlices } from './run-head.ts';

export async function answerAnyQuestion(
  site: Site,
  input: AnswerInput,
): Promise<Result<QuestionAnswered, Problem>> {
  const read = await readRunHeadInSlices(site, input.run);
  const answered = answerQuestion(site, input, read);
  if (answered.type === 'ok' || answered.error.type !== 'run-of-workers') return answered;
  const checked = checkAnswer(site, input, read);
  if (checked.type === 'error') return checked;
  const { runId, key, text, choice } = checked.value;
  const isFirst = await onWorkers(site, runId, (workers) => workers.answer({ runId, key, text }));
  if (isFirst.type === 'error') return isFirst;
  return isFirst.value
    ? ok({ runId, key, isTakenUp: true, ...defined({ choice }) })
    : error({ type: 'already-answered', key });
}

export async function askAnyToEnd(
  site: Site,
  asked: string,
): Promise<Result<RunCancelled | Unowned, Problem>> {
  const found = askToEnd(site, await readRunHeadInSlices(site, asked));
  if (found.type === 'ok' || found.error.type !== 'run-of-workers') return found;
  const { runId } = found.error;
  const cancelled = await onWorkers(site, runId, (workers) => workers.cancel(runId));
  if (cancelled.type === 'error') return cancelled;
  return ok({ type: cancelled.value === 'asked' ? 'asked-workers' : 'ended-there', runId });
}

/** Whether it continues now; false if it is already running or has ended. */
export function resumeOnWorkers(site: Site, runId: RunId): Promise<Result<boolean, Problem>> {
  return onWorkers(site, runId, (workers) => workers.resume(runId));
}

async function onWorkers<Value>(
  { workers }: Site,
  runId: RunId,
  work: (workers: Workers) => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
  return workers === undefined ? error({ type: 'run-of-workers', runId }) : work(workers);
}
