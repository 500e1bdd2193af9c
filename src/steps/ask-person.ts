/** Asks a person, as one step. */
import type { StepOptions } from '../engine/durable.ts';
import { instantRecord } from '../engine/record-of.ts';
import { defined } from '../model/defined.ts';
import type { Question } from '../model/event.ts';
import { sideKey } from '../model/ids.ts';
import type { StepRecord } from '../model/record.ts';
import { spanMs } from '../model/span.ts';
import { note } from './notes.ts';
import { type EndedStep, type SiteCall, wholeKey } from './site.ts';

export interface PersonAsked extends Omit<Question, 'expiresAt'> {
  readonly timeoutMs?: number | undefined;
}

/** The choice becomes the step's `output`; the values of its fields and a comment are its `json`. */
export async function askPerson(
  { block, key }: SiteCall,
  { timeoutMs, ...question }: PersonAsked,
  options?: Pick<StepOptions, 'compares'>,
): Promise<EndedStep> {
  const askedAt = await block.durable.now(sideKey(key, 'asked'));
  const expires =
    timeoutMs === undefined ? {} : { expiresAt: new Date(Date.parse(askedAt) + timeoutMs).toISOString() };
  const answer = await block.durable.answer(key, { ...question, ...expires }, options);
  const answeredAt = await block.durable.now(sideKey(key, 'answered'));
  const timing = {
    startedAt: askedAt,
    durationMs: block.durable.workedBetween(sideKey(key, 'asked'), sideKey(key, 'answered')),
    waitDurationMs: spanMs(askedAt, answeredAt),
  };
  const record: StepRecord =
    answer.choice === undefined && answer.values === undefined
      ? {
          ...instantRecord(answeredAt, { failure: { type: 'no-answer', question: question.message } }),
          ...timing,
        }
      : {
          ...instantRecord(answeredAt, {}),
          ...timing,
          ...defined({ output: answer.choice }),
          json: {
            ...answer.values,
            choice: answer.choice ?? null,
            comment: answer.type === 'chosen' ? (answer.comment ?? null) : null,
            by: answer.type === 'chosen' ? (answer.by ?? null) : null,
            expired: answer.type === 'expired',
          },
        };
  await note(block, { key, side: 'record' }, { type: 'record', record });
  const whole = wholeKey(block, key);
  return {
    record,
    retryKeys: record.status === 'failed' ? [whole, sideKey(whole, 'asked'), sideKey(whole, 'answered')] : [],
  };
}
