import { instantRecord } from '../engine/record-of.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import type { Note } from '../model/note.ts';
import type { StepRecord } from '../model/record.ts';
import { type EndedStep, type SiteCall, type StepSite, wholeKey } from './site.ts';

/** Records a decision about a step; `side` distinguishes several notes of one step. */
export function note(
  { durable }: Pick<StepSite, 'durable'>,
  at: { readonly key: StepKey; readonly side: string },
  noted: Note,
): Promise<unknown> {
  return durable.step(sideKey(at.key, at.side), 'note', noted, { syncWithNext: true });
}

/** Records a step that failed before anything was started. */
export async function failedAtOnce(call: SiteCall, failure: Failure): Promise<EndedStep> {
  const at = await call.block.durable.now(sideKey(call.key, 'at'));
  const record = instantRecord(at, { failure });
  await note(call.block, { key: call.key, side: 'record' }, { type: 'record', record });
  return { record, retryKeys: [wholeKey(call.block, call.key)] };
}

/** Records a skipped step. */
export async function skipped(call: SiteCall, reason: string): Promise<EndedStep> {
  const at = await call.block.durable.now(sideKey(call.key, 'at'));
  const record = instantRecord(at, { skipped: true });
  await note(call.block, { key: call.key, side: 'record' }, { type: 'record', record });
  await note(call.block, { key: call.key, side: 'why' }, { type: 'decision', message: reason });
  return { record, retryKeys: [] };
}

/** Changes fields of a step's record after its effect, for the program and the views. */
export async function amend(
  call: SiteCall,
  record: StepRecord,
  change: Partial<StepRecord>,
): Promise<StepRecord> {
  await note(call.block, { key: call.key, side: 'record' }, { type: 'record', record: change });
  return { ...record, ...change };
}
