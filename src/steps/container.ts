import { instantRecord } from '../engine/record-of.ts';
import { describeFailure } from '../model/describe-failure.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import type { Note } from '../model/note.ts';
import type { StepRecord } from '../model/record.ts';
import { isOverBudget } from './budget.ts';
import { note } from './notes.ts';
import { type EndedStep, type SiteCall, wholeKey } from './site.ts';

export interface ContainerEnd {
  readonly failure?: Failure;
  /** Keys of the inner steps that made it fail. */
  readonly retryKeys: readonly StepKey[];
  readonly fields?: Partial<StepRecord>;
}

/** The failure of a step whose branches or items failed. A budget that is reached is the failure of everything around it. */
export function failureOf(
  causes: readonly { readonly branch: string; readonly item?: string; readonly failure: Failure }[],
): Pick<ContainerEnd, 'failure'> {
  const over = causes.find(isOverBudget);
  if (over !== undefined) return { failure: over.failure };
  if (causes.length === 0) return {};
  const described = causes.map(({ failure, ...cause }) => ({ ...cause, message: describeFailure(failure) }));
  return { failure: { type: 'branches-failed', causes: described } };
}

/** Runs a step that contains others: notes how to show it, runs its inner steps, and writes its own record. */
export async function asContainer<End extends ContainerEnd>(
  call: SiteCall,
  begun: Extract<Note, { type: 'container' }>,
  run: () => Promise<End>,
): Promise<EndedStep & { readonly end: End }> {
  const { block, key } = call;
  const startedAt = await block.durable.now(sideKey(key, 'began'));
  await note(block, { key, side: 'container' }, begun);
  const end = await run();
  const endedAt = await block.durable.now(sideKey(key, 'ended'));
  const record: StepRecord = {
    ...instantRecord(endedAt, end.failure === undefined ? {} : { failure: end.failure }),
    ...end.fields,
    startedAt,
    durationMs: block.durable.workedBetween(sideKey(key, 'began'), sideKey(key, 'ended')),
    attempts: 1,
  };
  await note(block, { key, side: 'record' }, { type: 'record', record });
  if (record.status !== 'failed') return { record, end, retryKeys: [] };
  const whole = wholeKey(block, key);
  return { record, end, retryKeys: [...end.retryKeys, sideKey(whole, 'ended')] };
}
