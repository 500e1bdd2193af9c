import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { StepCall } from './block.ts';
import { innerBlock } from './branch.ts';
import type { ForEachStep, StepCommon } from './definition.ts';
import { renderText } from './render.ts';

/** Moves an item's file where its end says: how a queue item reaches `processed/` or `failed/`. */
export async function moveItem(
  call: StepCall<StepCommon & ForEachStep>,
  move: { readonly key: StepKey; readonly folder: string; readonly item: JsonValue; readonly index: number },
): Promise<{ readonly failure?: Failure }> {
  const { block, step } = call;
  if (typeof move.item !== 'string') {
    return {
      failure: { type: 'unsafe-path', path: JSON.stringify(move.item), reason: 'is not the name of a file' },
    };
  }
  const inner = innerBlock(block, {
    key: move.key,
    wholePath: block.wholePath,
    loop: { as: step.as, item: move.item, index: move.index, total: move.index + 1 },
  });
  const folder = renderText(inner, move.folder);
  if (folder.type === 'error') return { failure: folder.error };
  if (block.options.dryRun === true) return {};
  const { output } = await block.durable.step(sideKey(move.key, 'move'), 'move-file', {
    from: move.item,
    toFolder: folder.value,
  });
  return output;
}
