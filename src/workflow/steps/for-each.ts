/**
 * A loop over items. In line with `max_parallel: 1`; otherwise as branches — with `on_item_failure: stop` in groups of
 * `max_parallel`, so that which items were begun does not hang on timing.
 */

import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { type BlockEnd, type LoopVariables, type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { type Branch, childKey, innerBlock, runBranches } from '../branch.ts';
import { asContainer, type ContainerEnd } from '../container.ts';
import type { ForEachStep, StepCommon } from '../definition.ts';
import { moveItem } from '../move-item.ts';
import { failedAtOnce, note } from '../notes.ts';
import { itemsOf } from '../pointer.ts';
import { runSteps } from '../run-steps.ts';

type ForEachCall = StepCall<StepCommon & ForEachStep>;

interface ItemEnd {
  readonly index: number;
  readonly failure?: Failure;
  readonly retryKeys: readonly StepKey[];
}

export async function runForEach(call: ForEachCall): Promise<StepEnd> {
  const items = itemsOf(call.block, call.step);
  if (items.type === 'error') return failedAtOnce(call, items.error);
  return asContainer(call, { type: 'container', kind: 'for-each', items: items.value }, async () => {
    const ends =
      call.step.maxParallel > 1 ? await sideBySide(call, items.value) : await inTurn(call, items.value);
    return sumUp(ends);
  });
}

async function inTurn(call: ForEachCall, items: readonly JsonValue[]): Promise<readonly ItemEnd[]> {
  const { block, step, key } = call;
  const ends: ItemEnd[] = [];
  for (const [index, item] of items.entries()) {
    const inner = innerBlock(block, {
      key: childKey(key, index),
      wholePath: childKey(wholeKey(block, key), index),
      loop: loopOf(call, { item, index, total: items.length }),
    });
    const end = await itemEnded(call, { item, index, end: await runSteps(inner, step.steps) });
    ends.push(end);
    if (end.failure !== undefined && step.onItemFailure === 'stop') break;
  }
  return ends;
}

async function sideBySide(call: ForEachCall, items: readonly JsonValue[]): Promise<readonly ItemEnd[]> {
  const { block, step, key } = call;
  const ends: ItemEnd[] = [];
  const size = step.onItemFailure === 'stop' ? step.maxParallel : Math.max(1, items.length);
  for (let start = 0; start < items.length; start += size) {
    const branches = items.slice(start, start + size).map((item, offset): Branch => {
      const index = start + offset;
      return {
        key: childKey(key, index),
        wholePath: childKey(wholeKey(block, key), index),
        steps: step.steps,
        loop: loopOf(call, { item, index, total: items.length }),
      };
    });
    const outputs = await runBranches(block, branches, step.maxParallel);
    for (const [offset, output] of outputs.entries()) {
      const index = start + offset;
      ends.push(await itemEnded(call, { item: items[index] ?? null, index, end: output.end }));
    }
    if (step.onItemFailure === 'stop' && ends.some((end) => end.failure !== undefined)) break;
  }
  return ends;
}

function loopOf(call: ForEachCall, at: Omit<LoopVariables, 'as'>): LoopVariables {
  return { as: call.step.as, ...at };
}

async function itemEnded(
  call: ForEachCall,
  ended: { readonly item: JsonValue; readonly index: number; readonly end: BlockEnd },
): Promise<ItemEnd> {
  const { index, item, end } = ended;
  const folder = call.step.onItemComplete?.[end.type === 'failed' ? 'failure' : 'success'];
  const key = childKey(call.key, index);
  const moved = folder === undefined ? undefined : await moveItem(call, { key, folder, item, index });
  if (end.type === 'failed') return { index, failure: end.failure, retryKeys: end.retryKeys };
  if (moved?.failure !== undefined) {
    return {
      index,
      failure: moved.failure,
      retryKeys: [sideKey(childKey(wholeKey(call.block, call.key), index), 'move')],
    };
  }
  await note(call.block, { key: call.key, side: `item${index}` }, { type: 'item-completed', index });
  return { index, retryKeys: [] };
}

function sumUp(ends: readonly ItemEnd[]): ContainerEnd {
  const failed = ends.filter((end) => end.failure !== undefined);
  if (failed.length === 0) return { retryKeys: [] };
  return {
    failure: {
      type: 'branches-failed',
      causes: failed.map((end) => ({
        branch: `item ${end.index}`,
        message: end.failure === undefined ? '' : describeFailure(end.failure),
      })),
    },
    retryKeys: failed.flatMap((end) => end.retryKeys),
  };
}
