import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import { isOverBudget } from '../steps/budget.ts';
import { note } from '../steps/notes.ts';
import { type Block, type BlockEnd, keyIn, wholeKey } from './block.ts';
import type { Text } from './definition.ts';
import { renderText } from './render.ts';

/** Folders that an item's file is moved to, by how the item ended. */
export interface ItemMoves {
  readonly success?: Text;
  readonly failure?: Text;
}

/** Name under which notes about a whole item are stored, beside its steps. */
const ITEM = 'item';

/**
 * Ends an item: moves its file according to how it ended, for example a queue item to `processed/` or `failed/`, and records a success.
 * `block` is the item's own.
 */
export async function endItem(block: Block, moves: ItemMoves, end: BlockEnd): Promise<BlockEnd> {
  const { loop } = block;
  if (loop === undefined) throw new Error('an item outside a loop');
  // It is not finished: a resumed run continues it, so its file stays.
  if (end.type === 'failed' && isOverBudget(end)) return end;
  const folder = moves[end.type === 'failed' ? 'failure' : 'success'];
  const failure = folder === undefined ? undefined : await move(block, folder, loop.item);
  if (end.type === 'failed') return afterFailure(block, { end, isMoved: folder !== undefined, failure });
  const key = keyIn(block, ITEM, 1);
  if (failure !== undefined) {
    const whole = sideKey(wholeKey(block, key), 'move');
    return {
      type: 'failed',
      failedStep: whole,
      failure,
      retryKeys: [whole],
      ...defined({ leaving: end.leaving }),
    };
  }
  await note(block, { key, side: 'done' }, { type: 'item-completed', index: loop.index });
  return end;
}

/** An item whose file was moved away is finished and not retried. */
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
    return { type: 'unsafe-path', path: JSON.stringify(item), reason: 'is not a file name' };
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
