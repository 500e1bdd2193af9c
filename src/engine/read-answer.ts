import type { Answer } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import { isJsonObject, parseJson } from '../model/json.ts';
import type { QuestionState } from '../model/run-state.ts';
import { answerFile, type RunPaths } from '../store/layout.ts';
import { readPlainText } from '../store/plain-file.ts';
import { completeAnswer, expiredAnswer, type GivenAnswer } from './complete-answer.ts';

/** The user's answer, or that the time has expired; undefined while the question is open. */
export function readAnswer(
  paths: RunPaths,
  key: StepKey,
  question: QuestionState | undefined,
): Answer | undefined {
  const given = readGiven(answerFile(paths, key));
  const answer = answerIn(given, question);
  if (answer !== undefined && isJsonObject(given)) {
    const { comment, by } = given;
    return {
      type: 'chosen',
      ...answer,
      ...(typeof comment === 'string' ? { comment } : {}),
      ...(typeof by === 'string' ? { by } : {}),
    };
  }
  if (question?.expires_at === undefined || Date.parse(question.expires_at) > Date.now()) return undefined;
  return expiredAnswer(question);
}

/** Any program may write the file: a choice that was not offered, or a value of the wrong type, does not count. */
function answerIn(given: unknown, question: QuestionState | undefined): GivenAnswer | undefined {
  if (!isJsonObject(given)) return undefined;
  if (question !== undefined) return completeAnswer(question, given);
  return typeof given['choice'] === 'string' ? { choice: given['choice'] } : undefined;
}

/** Whether the question has a valid answer. */
export function isAnswered(paths: RunPaths, key: StepKey, question: QuestionState): boolean {
  return answerIn(readGiven(answerFile(paths, key)), question) !== undefined;
}

/** The file is written atomically. */
function readGiven(file: string): unknown {
  try {
    return parseJson(readPlainText(file));
  } catch {
    return undefined;
  }
}
