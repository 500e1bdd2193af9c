import { join } from 'node:path';
import {
  EMPTY_QUEUE,
  type LoopQueue,
  parseQueue,
  QUEUE_FILE,
  QUEUE_LOCK,
} from '../../../iterate/workspace/queue.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { createDocument, loadDocument, updateDocument } from '../../../store/document.ts';
import { makeIgnoredFolder } from '../../../store/ignored-folder.ts';
import type { Problem } from '../../problem.ts';
import type { Loops } from '../site/loops.ts';

type Place = Pick<Loops, 'workspacesDir'>;

export function queueLock({ workspacesDir }: Place): string {
  return join(workspacesDir, QUEUE_LOCK);
}

export function loadQueue({ workspacesDir }: Place): Result<LoopQueue, Problem> {
  const loaded = loadDocument(join(workspacesDir, QUEUE_FILE), parseQueue);
  if (loaded.type === 'ok') return loaded;
  return loaded.error.type === 'missing'
    ? ok(EMPTY_QUEUE)
    : error({ type: 'document-problem', problem: loaded.error });
}

export async function changeQueue(
  { workspacesDir }: Place,
  change: (queue: LoopQueue) => LoopQueue,
): Promise<Result<LoopQueue, Problem>> {
  const path = join(workspacesDir, QUEUE_FILE);
  makeIgnoredFolder(workspacesDir);
  // Another process may have created it.
  const created = await createDocument(path, EMPTY_QUEUE, { mode: 0o600 });
  if (created.type === 'error' && created.error.type !== 'exists')
    return error({ type: 'document-problem', problem: created.error });
  const updated = await updateDocument(path, parseQueue, change);
  return updated.type === 'ok' ? updated : error({ type: 'document-problem', problem: updated.error });
}
