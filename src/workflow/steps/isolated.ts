/** Steps, items and branches in worktrees: `../isolation.ts` has the course of one. */
import { defined } from '../../model/defined.ts';
import { exitCodeFor, type Failure, outcomeName } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import { itemName } from '../../model/item-name.ts';
import type { JsonValue } from '../../model/json.ts';
import type { StepRecord, Unmerged } from '../../model/record.ts';
import { failedAtOnce, note } from '../../steps/notes.ts';
import { type Block, type BlockEnd, keyIn, type StepCall, type StepEnd, wholeKey } from '../block.ts';
import type { Isolation } from '../definition.ts';
import {
  callsOf,
  drop,
  enter,
  type Isolated,
  ITEM,
  type NotSaved,
  park,
  type Saved,
  save,
  settle,
} from '../isolation.ts';
import { renderMessage } from '../render.ts';

/** A step of its own, not a list of branches: merged as soon as it has ended. */
export async function runIsolatedStep(
  call: StepCall,
  isolation: Isolation,
  run: (call: StepCall) => Promise<StepEnd>,
): Promise<StepEnd> {
  const { block, step, key } = call;
  if (block.options.dryRun === true) return run(call);
  const whole = wholeKey(block, key);
  const work = isolatedIn(block, isolation, { key, whole, name: whole, title: step.name });
  const inside = await enter(work);
  if (inside.type === 'error') return failedAtOnce(call, inside.error);
  const end = await run({ ...call, block: { ...block, ...inside.value } });
  if (end.record.status === 'failed') {
    const unmerged = await park(work);
    const record = await changed(call, end.record, defined({ unmerged: unmerged && [unmerged] }));
    return { ...end, record, retryKeys: [...end.retryKeys, ...callsOf(work), sideKey(whole, 'merged')] };
  }
  const saved = await save(work);
  const not = 'failure' in saved ? saved : await settle(work, saved);
  if (!('failure' in not)) {
    if (not.isAgain) await noteWhole(call, end.record);
    return end;
  }
  const record = await changed(call, end.record, {
    ...failed(not.failure),
    ...defined({ unmerged: not.unmerged && [not.unmerged] }),
  });
  // A rejected step is done again, with what it left.
  const again = not.retryKeys.length === 0 ? [whole] : [...not.retryKeys, sideKey(whole, 'merged')];
  return { ...end, record, retryKeys: again };
}

/** What its failed merge had noted is no longer so. */
async function noteWhole({ block, key }: StepCall, record: StepRecord): Promise<void> {
  const { results: _, ...whole } = record;
  await note(block, { key, side: 'merged' }, { type: 'record', record: whole });
}

function failed(failure: Failure): Partial<StepRecord> {
  return { status: 'failed', failure, exitCode: exitCodeFor(failure), outcome: outcomeName(failure) };
}

async function changed(
  { block, key }: StepCall,
  record: StepRecord,
  change: Partial<StepRecord>,
): Promise<StepRecord> {
  if (Object.keys(change).length === 0) return record;
  await note(block, { key, side: 'merged' }, { type: 'record', record: change });
  return { ...record, ...change };
}

function isolatedIn(
  block: Block,
  isolation: Isolation,
  at: { readonly key: StepKey; readonly whole: StepKey; readonly name: StepKey; readonly title: string },
): Isolated {
  const given = isolation.commit?.message;
  const message = given === undefined ? undefined : renderMessage(block, given);
  return {
    durable: block.durable,
    key: at.key,
    wholeKey: at.whole,
    name: at.name,
    title: at.title,
    isolation,
    ...defined({ around: block.isolated?.inRun }),
    words: {
      message: message?.type === 'ok' ? message.value : at.title,
      ...defined({ author: isolation.commit?.author }),
    },
  };
}

/** What an item or branch left to be merged by the step around it. */
export interface IsolatedEnd {
  readonly end: BlockEnd;
  readonly saved?: Saved;
  readonly unmerged?: Unmerged;
}

/** Runs the steps of an item or branch; `block` is its own. */
export async function runIsolatedList(
  block: Block,
  isolation: Isolation,
  { run, onOpen }: { readonly run: (block: Block) => Promise<BlockEnd>; readonly onOpen?: () => void },
): Promise<IsolatedEnd> {
  if (block.options.dryRun === true) return { end: await run(block) };
  const work = workOf(block, isolation);
  const inside = await enter(work, onOpen);
  if (inside.type === 'error') return { end: { ...notDone(work, inside.error), retryKeys: callsOf(work) } };
  const end = await run({ ...block, ...inside.value });
  if (end.type === 'failed') {
    const unmerged = await park(work);
    return { end: { ...end, retryKeys: [...end.retryKeys, ...callsOf(work)] }, ...defined({ unmerged }) };
  }
  const saved = await save(work);
  if (!('failure' in saved)) return { end, saved };
  return {
    end: withFailure(work, end, { ...saved, retryKeys: [...saved.retryKeys, stepKey(block.wholePath)] }),
    ...defined({ unmerged: saved.unmerged }),
  };
}

/** `block`: that of the item or branch, with the durable of the step around it. */
export async function mergeList(
  block: Block,
  isolation: Isolation,
  ended: IsolatedEnd,
): Promise<IsolatedEnd> {
  if (ended.saved === undefined) return ended;
  const work = workOf(block, isolation);
  const not = await settle(work, ended.saved);
  if (!('failure' in not)) return { end: ended.end };
  return { end: withFailure(work, ended.end, not), ...defined({ unmerged: not.unmerged }) };
}

export function dropList(block: Block, isolation: Isolation): Promise<void> {
  return drop(workOf(block, isolation));
}

function workOf(block: Block, isolation: Isolation): Isolated {
  const key = keyIn(block, ITEM, 1);
  const { loop } = block;
  const name = stepKey(block.wholePath);
  const title = loop === undefined ? name : `${name} (${itemName(loop.item)})`;
  return isolatedIn(block, isolation, { key, whole: wholeKey(block, key), name, title });
}

function notDone(work: Isolated, failure: Failure) {
  return { type: 'failed' as const, failedStep: work.name, failure };
}

function withFailure(work: Isolated, end: BlockEnd, { failure, retryKeys }: NotSaved): BlockEnd {
  return { ...notDone(work, failure), retryKeys, ...defined({ last: end.last, leaving: end.leaving }) };
}

/** What is not merged, for the record of the step around it. */
export function unmergedFields(ends: readonly (Partial<IsolatedEnd> & { readonly item: JsonValue })[]): {
  readonly fields?: Partial<StepRecord>;
} {
  const unmerged = ends.flatMap(({ unmerged: one, item }) => (one === undefined ? [] : [{ ...one, item }]));
  return unmerged.length === 0 ? {} : { fields: { unmerged } };
}
