/** A loop over items: one after the other with `max_parallel: 1`, otherwise as branches, each started as soon as a slot is free. */
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { stepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import {
  type BlockEnd,
  innerBlock,
  type LoopVariables,
  type StepCall,
  type StepEnd,
  wholeKey,
} from '../block.ts';
import { asContainer, type ContainerEnd } from '../container.ts';
import type { ForEachStep, StepCommon } from '../definition.ts';
import { endItem } from '../end-item.ts';
import { itemsOf } from '../loop-items.ts';
import { failedAtOnce } from '../notes.ts';
import { type Branch, runBranches } from './branch.ts';
import { runSteps } from './run-steps.ts';

type ForEachCall = StepCall<StepCommon & ForEachStep>;

export async function runForEach(call: ForEachCall): Promise<StepEnd> {
  const items = itemsOf(call.block, call.step);
  if (items.type === 'error') return failedAtOnce(call, items.error);
  return asContainer(call, { type: 'container', kind: 'for-each', items: items.value }, async () => {
    const ends =
      call.step.maxParallel > 1 ? await sideBySide(call, items.value) : await inTurn(call, items.value);
    return sumUp(call, ends);
  });
}

async function inTurn(call: ForEachCall, items: readonly JsonValue[]): Promise<readonly BlockEnd[]> {
  const { block, step } = call;
  const ends: BlockEnd[] = [];
  for (const index of items.keys()) {
    const inner = innerBlock(block, itemOf(call, items, index));
    const end = await endItem(inner, step.onItemComplete ?? {}, await runSteps(inner, step.steps));
    ends.push(end);
    if (end.type === 'failed' && step.onItemFailure === 'stop') break;
  }
  return ends;
}

/** `undefined` for an item that was not started. */
type ItemEnds = readonly (BlockEnd | undefined)[];

async function sideBySide(call: ForEachCall, items: readonly JsonValue[]): Promise<ItemEnds> {
  const { block, step } = call;
  const branches = items.map(
    (_, index): Branch => ({
      ...itemOf(call, items, index),
      steps: step.steps,
      moves: step.onItemComplete ?? {},
    }),
  );
  const ends = await runBranches(block, branches, {
    slots: step.maxParallel,
    continues: ({ end }) => end.type !== 'failed' || step.onItemFailure !== 'stop',
  });
  return ends.map((ended) => ended?.end);
}

function itemOf(
  { block, step, key }: ForEachCall,
  items: readonly JsonValue[],
  index: number,
): Required<Pick<Branch, 'key' | 'wholePath' | 'loop'>> {
  const loop: LoopVariables = {
    kind: 'for-each',
    as: step.as,
    item: items[index] ?? null,
    index,
    total: items.length,
    ...defined({ around: block.loop }),
  };
  return { key: stepKey(key, index), wholePath: stepKey(wholeKey(block, key), index), loop };
}

function sumUp({ block, key }: ForEachCall, ends: ItemEnds): ContainerEnd {
  const causes = ends.flatMap((end, index) =>
    end?.type === 'failed'
      ? [{ branch: stepKey(wholeKey(block, key), index), message: describeFailure(end.failure) }]
      : [],
  );
  return {
    ...(causes.length === 0 ? {} : { failure: { type: 'branches-failed', causes } }),
    retryKeys: ends.flatMap((end) => (end?.type === 'failed' ? end.retryKeys : [])),
  };
}
