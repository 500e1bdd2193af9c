/**
 * Records the answer of a person or a program to a question that a run is waiting on.
 *
 * Q1 The first answer counts: of two given at once, one is rejected.
 * Q2 The answer is a file in the run folder. A run that has a process reads it right away; others read it when they are resumed.
 */
import { relative } from 'node:path';
import { isFreeText } from '../../engine/complete-answer.ts';
import { isAnswered } from '../../engine/read-answer.ts';
import { defined } from '../../model/defined.ts';
import { readFields } from '../../model/field.ts';
import { type RunId, type StepKey, stepNameIn } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { QuestionState, RunState } from '../../model/run-state.ts';
import { nearest } from '../../model/suggest.ts';
import { placeFile, replaceFile } from '../../store/atomic-write.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { answerFile, type RunPaths } from '../../store/layout.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { fileInside } from '../../workflow/load/check-inputs.ts';
import type { AnswerProblem, ReadRunProblem } from '../problem.ts';
import type { Site } from '../site.ts';
import { isOfWorkers, type OfWorkersProblem } from './of-workers.ts';
import { type RunHead, readRunHead } from './run-head.ts';
import { isRunAlive } from './run-life.ts';

export interface AnswerInput {
  readonly run: string;
  /** The step that asks: its key, or its name if unique. Empty: the only one that asks. */
  readonly question: string;
  /** Needed if the question offers choices. */
  readonly choice?: string | undefined;
  /** The values of its fields; text becomes a value of the field's type. */
  readonly values?: JsonObject;
  readonly comment?: string | undefined;
  /** Name of the person or program that answers. */
  readonly by?: string | undefined;
}

export interface QuestionAnswered {
  readonly runId: RunId;
  readonly key: StepKey;
  readonly choice?: string;
  /** A process is running the run and will read the answer. */
  readonly isTakenUp: boolean;
  /** New name of a file that was in the place of the answer but was not an answer. */
  readonly keptAs?: string;
}

/** An answer that fits its question. */
export interface CheckedAnswer {
  readonly runId: RunId;
  readonly key: StepKey;
  readonly choice?: string;
  /** The answer as a document. */
  readonly text: string;
  readonly open: QuestionState | undefined;
  readonly paths: RunPaths;
  /** Workers carry out the run: the answer belongs into their database. */
  readonly isOfWorkers: boolean;
}

/** `read`: the run that is asked about, if it was read elsewhere. */
export function checkAnswer(
  site: Site,
  input: AnswerInput,
  read: Result<RunHead, ReadRunProblem> = readRunHead(site, input.run),
): Result<CheckedAnswer, AnswerProblem> {
  if (read.type === 'error') return read;
  const { question, choice, values: given = {}, comment, by } = input;
  const { runId, state, paths, started } = read.value;
  if (state.status === 'cancelled' || state.status === 'completed')
    return error({ type: 'run-has-ended', runId, status: state.status });
  const found = findQuestion(runId, state, question);
  if (found.type === 'error') return found;
  const key = found.value;
  const open = state.waiting_for?.[key];
  const choices = open?.choices ?? [];
  const { values, problems } = readFields(open?.fields ?? [], given, fileInside(site.workspace));
  const isChosen = isFreeText({ choices, ...defined({ fields: open?.fields }) })
    ? choice !== undefined && choice.trim() !== ''
    : choice === undefined
      ? choices.length === 0
      : choices.includes(choice);
  if (!isChosen && choice !== undefined && open?.fields === undefined && problems.length === 0)
    return error({ type: 'no-such-choice', key, choice, choices });
  if (!isChosen || problems.length > 0)
    return error({
      type: 'invalid-answer',
      key,
      problems,
      fields: open?.fields ?? [],
      ...(isChosen ? {} : { choice: { choices, ...defined({ given: choice }) } }),
    });
  const answers = open?.fields === undefined ? {} : { values };
  const at = site.now().toISOString();
  // An agent cannot answer in the name of a person.
  const name = site.asker === 'agent' ? 'agent' : by;
  const text = `${JSON.stringify({ key, choice, ...answers, comment, by: name, at }, null, 2)}\n`;
  return ok({ runId, key, text, open, paths, isOfWorkers: isOfWorkers(started), ...defined({ choice }) });
}

export function answerQuestion(
  site: Site,
  input: AnswerInput,
  read?: Result<RunHead, ReadRunProblem>,
): Result<QuestionAnswered, AnswerProblem | OfWorkersProblem> {
  const checked = checkAnswer(site, input, read);
  if (checked.type === 'error') return checked;
  const { runId, key, text, open, paths, choice } = checked.value;
  if (checked.value.isOfWorkers) return error({ type: 'run-of-workers', runId });
  const file = answerFile(paths, key);
  makeFolder(paths.answers, 0o700);
  let keptAs: string | undefined;
  // Q1
  if (!placeFile(file, text)) {
    if (open === undefined || isAnswered(paths, key, open)) return error({ type: 'already-answered', key });
    keptAs = relative(site.workspace, keepAside(file));
    replaceFile(file, text);
  }
  return ok({
    runId,
    key,
    ...defined({ choice }),
    isTakenUp: isRunAlive(paths),
    ...defined({ keptAs }),
  });
}

/** Finds a question by its full key, or by the name of its step if unique: `Approve` also finds the one of its second visit. */
function findQuestion(runId: RunId, state: RunState, asked: string): Result<StepKey, AnswerProblem> {
  const open = Object.keys(state.waiting_for ?? {}) as StepKey[];
  const exact = open.filter((key) => key === asked);
  const last = open.filter((key) => key.split('/').at(-1) === asked);
  const named = last.length > 0 ? last : open.filter((key) => stepNameIn(key) === asked);
  const found = asked === '' ? open : exact.length > 0 ? exact : named;
  const [only] = found;
  if (only !== undefined && found.length === 1) return ok(only);
  if (open.length === 0) return error({ type: 'no-questions', runId });
  if (found.length > 1) return error({ type: 'several-questions', asked, found });
  return error({ type: 'no-such-question', runId, asked, near: nearest(asked, open), open });
}
