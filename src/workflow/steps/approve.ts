import { instantRecord } from '../../engine/record-of.ts';
import { defined } from '../../model/defined.ts';
import { sideKey } from '../../model/ids.ts';
import type { StepRecord } from '../../model/record.ts';
import { spanMs } from '../../model/span.ts';
import { type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { reachedBudget } from '../budget.ts';
import type { ApproveStep, StepCommon } from '../definition.ts';
import { diffOf } from '../isolation.ts';
import { failedAtOnce, note, skipped } from '../notes.ts';
import { renderMessage } from '../render.ts';

/** The choice becomes the step's `output`; the values of its fields and a comment are its `json`. */
export async function runApprove(call: StepCall<StepCommon & ApproveStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  const message = renderMessage(block, step.message);
  if (message.type === 'error') return failedAtOnce(call, message.error);
  if (block.options.dryRun === true) return skipped(call, `dry run: would ask \`${message.value}\``);
  const reached = await reachedBudget(call);
  if (reached !== undefined) return failedAtOnce(call, reached);
  const diff =
    step.show === 'diff' && block.isolated !== undefined
      ? await diffOf(block.durable, block.isolated, key)
      : undefined;
  const askedAt = await block.durable.now(sideKey(key, 'asked'));
  const answer = await block.durable.answer(key, {
    message: message.value,
    choices: step.choices,
    ...(step.timeoutMs === undefined
      ? {}
      : { expiresAt: new Date(Date.parse(askedAt) + step.timeoutMs).toISOString() }),
    ...defined({ default: step.default, fields: step.fields, diff }),
  });
  const answeredAt = await block.durable.now(sideKey(key, 'answered'));
  const timing = {
    startedAt: askedAt,
    durationMs: block.durable.workedBetween(sideKey(key, 'asked'), sideKey(key, 'answered')),
    waitDurationMs: spanMs(askedAt, answeredAt),
  };
  const record: StepRecord =
    answer.choice === undefined && answer.values === undefined
      ? {
          ...instantRecord(answeredAt, { failure: { type: 'no-answer', question: message.value } }),
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
