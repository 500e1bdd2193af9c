/** Steps that start nothing and leave the list they are in. */
import { instantRecord } from '../../engine/record-of.ts';
import { sideKey } from '../../model/ids.ts';
import type { StepRecord } from '../../model/record.ts';
import { failedAtOnce, note, skipped } from '../../steps/notes.ts';
import { type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { judge } from '../condition.ts';
import type { BreakStep, EndStep, StepCommon } from '../definition.ts';
import { renderMessage } from '../render.ts';

export async function runBreak(call: StepCall<StepCommon & BreakStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  let why = 'leaves the loop';
  if (step.breakWhen !== undefined) {
    const judged = await judge(block, step.breakWhen, { key, side: 'break' });
    if (judged.type === 'error') return failedAtOnce(call, judged.error);
    if (!judged.value.isMet) return skipped(call, `skipped: ${judged.value.fact}`);
    why = `leaves the loop: ${judged.value.fact}`;
  }
  if (block.options.dryRun === true) return skipped(call, 'dry run: would leave the loop');
  const record = instantRecord(await block.durable.now(sideKey(key, 'at')), {});
  await conclude(call, record, why);
  return { record, retryKeys: [], leaving: { type: 'loop' } };
}

export async function runEnd(call: StepCall<StepCommon & EndStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  const { status } = step;
  const rendered = step.message === undefined ? undefined : renderMessage(block, step.message);
  if (rendered?.type === 'error') return failedAtOnce(call, rendered.error);
  const message = rendered?.value ?? `\`${step.name}\` ended the workflow as ${status}`;
  if (block.options.dryRun === true)
    return skipped(call, `dry run: would end the workflow as ${status}: ${message}`);
  const at = await block.durable.now(sideKey(key, 'at'));
  const record: StepRecord =
    status === 'failed'
      ? instantRecord(at, { failure: { type: 'ended', message } })
      : { ...instantRecord(at, {}), output: message };
  await conclude(call, record, `ends the workflow as ${status}: ${message}`);
  // Repeating it would only end the run in the same way.
  return {
    record,
    retryKeys: [],
    leaving: { type: 'workflow', status, message, step: wholeKey(block, key) },
  };
}

async function conclude({ block, key }: StepCall, record: StepRecord, why: string): Promise<void> {
  await note(block, { key, side: 'record' }, { type: 'record', record });
  await note(block, { key, side: 'why' }, { type: 'decision', message: why });
}
