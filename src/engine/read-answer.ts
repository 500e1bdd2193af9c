import { defined } from '../model/defined.ts';
import type { Answer } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonObject, parseJson } from '../model/json.ts';
import type { QuestionState } from '../model/run-state.ts';
import { answerFile, type RunPaths } from '../store/layout.ts';
import { readPlainText } from '../store/plain-file.ts';

/** The user's answer, or that the time has expired; undefined while the question is open. */
export function readAnswer(
  paths: RunPaths,
  key: StepKey,
  question: QuestionState | undefined,
): Answer | undefined {
  const given = readGiven(answerFile(paths, key));
  if (isAnswer(given, question?.choices)) {
    const { choice, comment, by } = given;
    return {
      type: 'chosen',
      choice,
      ...(typeof comment === 'string' ? { comment } : {}),
      ...(typeof by === 'string' ? { by } : {}),
    };
  }
  if (question?.expires_at === undefined || Date.parse(question.expires_at) > Date.now()) return undefined;
  return { type: 'expired', ...defined({ choice: question.default }) };
}

/** Any program may write the file: a choice that was not offered does not count. */
function isAnswer(
  given: unknown,
  choices: readonly string[] | undefined,
): given is JsonObject & { readonly choice: string } {
  if (!isJsonObject(given) || typeof given['choice'] !== 'string') return false;
  return choices === undefined || choices.includes(given['choice']);
}

/** Whether the question has a valid answer. */
export function isAnswered(paths: RunPaths, key: StepKey, question: QuestionState): boolean {
  return isAnswer(readGiven(answerFile(paths, key)), question.choices);
}

/** The file is written atomically. */
function readGiven(file: string): unknown {
  try {
    return parseJson(readPlainText(file));
  } catch {
    return undefined;
  }
}
