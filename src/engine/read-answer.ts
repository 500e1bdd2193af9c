import type { Answer } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import { isJsonObject, parseJsonObject } from '../model/json.ts';
import type { QuestionState } from '../model/run-state.ts';
import { errnoOf } from '../store/errno.ts';
import { answerFile, type RunPaths } from '../store/layout.ts';
import { isForeignKind, readPlainText } from '../store/plain-file.ts';
import { completeAnswer, expiredAnswer, type GivenAnswer } from './complete-answer.ts';

/** The user's answer, or that the time has expired; undefined while the question is open. */
export function readAnswer(
  paths: RunPaths,
  key: StepKey,
  question: QuestionState | undefined,
): Answer | undefined {
  const given = givenIn(answerFile(paths, key));
  // It may be an answer: the question does not expire before that is known.
  if (given === UNREADABLE) return undefined;
  return givenAnswer(given, question);
}

/** The same for an answer that was read already; undefined: none was given. */
export function givenAnswer(given: unknown, question: QuestionState | undefined): Answer | undefined {
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

/** Whether the question has a valid answer. Throws disk errors. */
export function isAnswered(paths: RunPaths, key: StepKey, question: QuestionState): boolean {
  return answerIn(readGiven(answerFile(paths, key)), question) !== undefined;
}

const UNREADABLE = Symbol('the disk reports an error');

function givenIn(file: string): unknown {
  try {
    return readGiven(file);
  } catch (cause) {
    errnoOf(cause);
    return UNREADABLE;
  }
}

/** The file is written atomically. Undefined if there is none, or if it cannot be an answer. */
function readGiven(file: string): unknown {
  try {
    return parseJsonObject(readPlainText(file));
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'ENOENT' || isForeignKind(code)) return undefined;
    throw cause;
  }
}
