import { instantRecord } from '../engine/record-of.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import type { Note } from '../model/note.ts';
import type { StepRecord } from '../model/record.ts';
import { spanMs } from '../model/span.ts';
import { type StepCall, type StepEnd, wholeKey } from './block.ts';
import { note } from './notes.ts';

export interface ContainerEnd {
  readonly failure?: Failure;
  /** Of the steps inside whose failure made it fail. */
  readonly retryKeys: readonly StepKey[];
  readonly fields?: Partial<StepRecord>;
  /** Results inside that the steps after it can see. */
  readonly inner?: ReadonlyMap<string, StepRecord>;
}

/** A step that holds others: tells how it is to be shown, runs what it holds, and puts its own record down. */
export async function asContainer(
  call: StepCall,
  begun: Extract<Note, { type: 'container' }>,
  run: () => Promise<ContainerEnd>,
): Promise<StepEnd> {
  const { block, key } = call;
  const startedAt = await block.durable.now(sideKey(key, 'began'));
  await note(block, { key, side: 'container' }, begun);
  const end = await run();
  const endedAt = await block.durable.now(sideKey(key, 'ended'));
  const record: StepRecord = {
    ...instantRecord(endedAt, end.failure === undefined ? {} : { failure: end.failure }),
    ...end.fields,
    startedAt,
    durationMs: spanMs(startedAt, endedAt),
    attempts: 1,
  };
  await note(block, { key, side: 'record' }, { type: 'record', record });
  const seen = end.inner === undefined ? {} : { inner: end.inner };
  if (record.status !== 'failed') return { record, retryKeys: [], ...seen };
  const whole = wholeKey(block, key);
  return { record, retryKeys: [...end.retryKeys, sideKey(whole, 'ended')], ...seen };
}
