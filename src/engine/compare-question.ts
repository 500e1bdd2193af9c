/** D7 for questions: an answer counts for the question that was asked. */
import type { Answer, JournalEvent, Question } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import { callDigest, Divergence, isSameCall } from './divergence.ts';
import type { Compared } from './durable.ts';
import type { AskedQuestion } from './recorded.ts';

type Redact = (data: JsonValue) => JsonValue;

export interface QuestionToCompare {
  readonly key: StepKey;
  /** In the journal. */
  readonly asked: AskedQuestion | undefined;
  readonly question: Question;
  readonly compares: Compared | undefined;
}

/**
 * Whether the recorded question stands, with its answer if it has one. Throws a `Divergence` if it was answered, and the program asks something
 * else now.
 */
export function compareQuestion(
  { key, asked, question, compares }: QuestionToCompare,
  answer: Answer | undefined,
  redact: Redact,
): boolean {
  if (asked === undefined || compares === undefined) return true;
  const now = callDigest(wordsOf(question), compares, redact);
  if (isSameCall(asked.digest ?? callDigest(wordsOf(asked.question), {}, redact), now)) return true;
  if (answer === undefined) return false;
  if (compares.since !== undefined && asked.at <= compares.since)
    return answer.choice === undefined || question.choices.includes(answer.choice);
  throw new Divergence({
    ...{ type: 'other-input', key, recorded: QUESTION, effect: QUESTION },
    ...{ input: wordsOf(question), item: compares.within?.item },
  });
}

const QUESTION = 'question';

/** How long the answer may take is no part of what is asked. */
export function wordsOf({ expiresAt: _, ...words }: Question): JsonValue {
  return words as unknown as JsonValue;
}

export function questionRecord(
  question: Question,
  compares: Compared | undefined,
  redact: Redact,
): Pick<Extract<JournalEvent, { type: 'question-asked' }>, 'question' | 'digest'> {
  return {
    question: redact(question as unknown as JsonValue) as unknown as Question,
    ...(compares === undefined ? {} : { digest: callDigest(wordsOf(question), compares, redact) }),
  };
}
