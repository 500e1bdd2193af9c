import { describeFailure } from '../model/describe-failure.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import { type Block, type BlockEnd, keyIn, wholeKey } from './block.ts';
import type { Text } from './definition.ts';
import { note } from './notes.ts';
import { renderText } from './render.ts';

/** Folders that the file of an item goes to, by how the item ended. */
export interface ItemMoves {
  readonly success?: Text;
  readonly failure?: Text;
}

/** What is said of an item as a whole stands beside its steps, under this name. */
const ITEM = 'item';

/**
 * An item's steps are done: its file goes where the end says, which is how a queue item reaches `processed/` or `failed/`, and a
 * success is put down. `block` is the item's own.
 */
export async function endItem(block: Block, moves: ItemMoves, end: BlockEnd): Promise<BlockEnd> {
  const { loop } = block;
  if (loop === undefined) throw new Error('an item outside of a loop');
  const folder = moves[end.type === 'failed' ? 'failure' : 'success'];
  const failure = folder === undefined ? undefined : await move(block, folder, loop.item);
  if (end.type === 'failed') return afterFailure(block, { end, isMoved: folder !== undefined, failure });
  const key = keyIn(block, ITEM, 1);
  if (failure !== undefined) {
    const whole = sideKey(wholeKey(block, key), 'move');
    return { type: 'failed', failedStep: whole, failure, retryKeys: [whole] };
  }
  await note(block, { key, side: 'done' }, { type: 'item-completed', index: loop.index });
  return end;
}

/** An item whose file is out of the way is dealt with, and not tried again. */
function afterFailure(
  block: Block,
  {
    end,
    isMoved,
    failure,
  }: {
    readonly end: Extract<BlockEnd, { type: 'failed' }>;
    readonly isMoved: boolean;
    readonly failure: Failure | undefined;
  },
): BlockEnd {
  if (!isMoved) return end;
  if (failure === undefined) return { ...end, retryKeys: [] };
  const whole = sideKey(wholeKey(block, keyIn(block, ITEM, 1)), 'move');
  const causes = [
    { branch: end.failedStep, message: describeFailure(end.failure) },
    { branch: whole, message: describeFailure(failure) },
  ];
  return {
    ...end,
    failure: { type: 'branches-failed', causes },
    retryKeys: [...end.retryKeys, whole],
  };
}

async function move(block: Block, folder: Text, item: JsonValue): Promise<Failure | undefined> {
  if (typeof item !== 'string') {
    return { type: 'unsafe-path', path: JSON.stringify(item), reason: 'is not the name of a file' };
  }
  const toFolder = renderText(block, folder);
  if (toFolder.type === 'error') return toFolder.error;
  if (block.options.dryRun === true) return undefined;
  const { output } = await block.durable.step(sideKey(keyIn(block, ITEM, 1), 'move'), 'move-file', {
    from: item,
    toFolder: toFolder.value,
  });
  return output.failure;
}
