/** A loop over items: one after the other with `max_parallel: 1`, otherwise as branches, each started as soon as a slot is free. */
import { defined } from '../../model/defined.ts';
import { insideKey, stepKey } from '../../model/ids.ts';
import { itemName } from '../../model/item-name.ts';
import type { JsonValue } from '../../model/json.ts';
import type { ResultCollector } from '../../model/result-collector.ts';
import { isOverBudget } from '../../steps/budget.ts';
import { failedAtOnce } from '../../steps/notes.ts';
import {
  type Block,
  type BlockEnd,
  innerBlock,
  type LoopVariables,
  type StepCall,
  type StepEnd,
  wholeKey,
  withoutLast,
} from '../block.ts';
import { asContainer, type ContainerEnd, failureOf } from '../container.ts';
import type { ForEachStep, StepCommon } from '../definition.ts';
import { endItem } from '../end-item.ts';
import { itemsOf } from '../loop-items.ts';
import { collectorFor } from '../results.ts';
import { type Branch, endBranch, onwardAfter, runBranches } from './branch.ts';
import { type IsolatedEnd, runIsolatedList, unmergedFields } from './isolated.ts';
import { runSteps } from './run-steps.ts';

type ForEachCall = StepCall<StepCommon & ForEachStep>;

export async function runForEach(call: ForEachCall): Promise<StepEnd> {
  const { block, step } = call;
  const items = itemsOf(block, step);
  if (items.type === 'error') return failedAtOnce(call, items.error);
  return asContainer(call, { type: 'container', kind: 'for-each', items: items.value }, async () => {
    const results = collectorFor(call);
    const ended = { ...call, items: items.value, results };
    return {
      ...sumUp(ended, step.maxParallel > 1 ? await sideBySide(ended) : await inTurn(ended)),
      ...defined({ results: results?.inOrder(items.value) }),
    };
  });
}

interface Items extends ForEachCall {
  readonly items: readonly JsonValue[];
  readonly results: ResultCollector | undefined;
}

async function inTurn(call: Items): Promise<ItemEnds> {
  const { block, items } = call;
  const ends: IsolatedEnd[] = [];
  for (const index of items.keys()) {
    const item = itemOf(call, index);
    const ended = await inTurnItem(block, item);
    const { end } = ended;
    keepResult(call, index, end);
    const short = withoutLast(end);
    ends.push(
      ended.saved === undefined && ended.unmerged === undefined ? { end: short } : { ...ended, end: short },
    );
    if (end.leaving !== undefined || endsLoop(call, end)) break;
  }
  return ends;
}

async function inTurnItem(block: Block, item: Item): Promise<IsolatedEnd> {
  const inner = innerBlock(block, item);
  const { isolation } = item;
  if (isolation === undefined)
    return { end: await endItem(inner, item.moves, await runSteps(inner, item.steps)) };
  const run = (inside: Block) => runSteps(inside, item.steps);
  const ended = await runIsolatedList(inner, isolation, { run });
  return endBranch(block, item, { ended: { ...ended, records: new Map() } });
}

function endsLoop({ step }: ForEachCall, end: BlockEnd): boolean {
  return end.type === 'failed' && (step.onItemFailure === 'stop' || isOverBudget(end));
}

/** `undefined` for an item that was not started. */
type ItemEnds = readonly (IsolatedEnd | undefined)[];

async function sideBySide(call: Items): Promise<ItemEnds> {
  const { block, step, items, results } = call;
  const branches = items.map((_, index) => itemOf(call, index));
  const ends = await runBranches(block, branches, {
    slots: step.maxParallel,
    onEnd: (ended, index) => {
      keepResult(call, index, ended.end);
      const onward = onwardAfter(ended);
      return onward === 'continue' && endsLoop(call, ended.end) ? 'start-nothing' : onward;
    },
    onStop: (index) => results?.add(index, { item: items[index] ?? null, status: 'cancelled' }),
  });
  return ends;
}

function keepResult({ items, results }: Items, index: number, end: BlockEnd): void {
  const status = end.type === 'failed' ? 'failed' : 'completed';
  results?.add(index, { item: items[index] ?? null, status, last: end.last });
}

/** There is nothing to say about it. */
function isPlainEnd(ended: IsolatedEnd | undefined): boolean {
  if (ended === undefined) return true;
  const { end, saved, unmerged } = ended;
  return end.type === 'ended' && end.leaving === undefined && saved === undefined && unmerged === undefined;
}

type Item = Branch & Required<Pick<Branch, 'loop' | 'moves'>>;

function itemOf({ block, step: current, key, items }: Items, index: number): Item {
  const wholePath = insideKey(wholeKey(block, key), index);
  const kept = block.kept?.get(wholePath);
  const step = kept?.step ?? current;
  // Field by field: a loop makes thousands, and V8 adds fields to a copy ten times slower.
  const loop: { -readonly [Field in keyof LoopVariables]: LoopVariables[Field] } = {
    kind: 'for-each',
    as: step.as,
    item: items[index] ?? null,
    index,
    total: items.length,
  };
  if (step.items.type === 'matrix') loop.isMatrix = true;
  if (block.loop !== undefined) loop.around = block.loop;
  const item: { -readonly [Field in keyof Item]: Item[Field] } = {
    key: insideKey(key, index),
    wholePath,
    loop,
    steps: step.steps,
    moves: step.onItemComplete ?? {},
  };
  if (step.isolate !== undefined) item.isolation = step.isolate;
  if (kept !== undefined) item.definition = kept.definition;
  return item;
}

function sumUp({ block, key, items }: Items, ends: ItemEnds): ContainerEnd {
  if (ends.every(isPlainEnd)) return { retryKeys: [] };
  const causes = ends.flatMap((ended, index) => {
    const end = ended?.end;
    if (end?.type !== 'failed') return [];
    const item = itemName(items[index] ?? null);
    return [{ branch: stepKey(wholeKey(block, key), index), item, failure: end.failure }];
  });
  return {
    ...failureOf(causes),
    retryKeys: ends.flatMap((ended) => (ended?.end.type === 'failed' ? ended.end.retryKeys : [])),
    ...unmergedFields(ends.map((ended, index) => ({ ...ended, item: items[index] ?? null }))),
    // A `break` leaves only this loop.
    ...defined({ leaving: ends.find((ended) => ended?.end.leaving?.type === 'workflow')?.end.leaving }),
  };
}
