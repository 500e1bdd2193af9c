/** The loops that are worked through one after the other, or several at once. */
import { onlyGiven, type RunOptions } from '../../../iterate/run-options.ts';
import { type LoopQueue, type QueuedLoop, withLoop, withoutLoop } from '../../../iterate/workspace/queue.ts';
import { defined } from '../../../model/defined.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { trustOwn } from '../../trust/trust-own.ts';
import { openTask } from '../run/task.ts';
import { openLoop } from '../site/find-loop.ts';
import { type OfLoop, type OfLoops, openLoops } from '../site/loops.ts';
import { queueClaims } from './queue-claims.ts';
import { changeQueue, loadQueue } from './queue-file.ts';
import { type QueuedState, queuedState } from './queued-state.ts';

export interface AddToQueue extends OfLoop {
  readonly options: RunOptions;
}

export interface AddedToQueue {
  readonly position: number;
  /** Why the next `queue run` asks about the options anyway. */
  readonly untrusted?: string;
}

/** Checked as by `run`: what cannot be started is not queued. */
export async function addToQueue(site: Site, asked: AddToQueue): Promise<Result<AddedToQueue, Problem>> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { name, options } = asked;
  const queue = loadQueue(opened.value.loops);
  if (queue.type === 'error') return queue;
  const standing = queue.value.loops.find((each) => each.name === name && each.endedAt === undefined);
  if (standing !== undefined) return error({ type: 'loop-already-queued', name });
  const task = openTask(site, opened.value.workspace, options);
  if (task.type === 'error') return task;
  const loop: QueuedLoop = { name, options: onlyGiven(options), addedAt: site.now().toISOString() };
  const [before, after] = [queue.value, withLoop(queue.value, loop)].map((each) =>
    queueClaims(site, opened.value.loops, each.loops),
  );
  const untrusted = await trustOwn(site, {
    folder: site.workspace,
    before: before ?? [],
    after: after ?? [],
  });
  const changed = await changeQueue(opened.value.loops, (now) => withLoop(now, loop));
  return changed.type === 'ok'
    ? ok({ position: positionOf(changed.value, name), ...defined({ untrusted }) })
    : changed;
}

function positionOf({ loops }: LoopQueue, name: string): number {
  return loops.filter(({ endedAt }) => endedAt === undefined).findIndex((each) => each.name === name) + 1;
}

export async function removeFromQueue(site: Site, asked: OfLoop): Promise<Result<void, Problem>> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const queue = loadQueue(loops.value);
  if (queue.type === 'error') return queue;
  const loop = queue.value.loops.find(({ name }) => name === asked.name);
  if (loop === undefined) return error({ type: 'loop-not-queued', name: asked.name });
  if (queuedState(site, loops.value, loop).type === 'running')
    return error({ type: 'queued-loop-running', name: asked.name });
  const changed = await changeQueue(loops.value, (now) => withoutLoop(now, asked.name));
  return changed.type === 'ok' ? ok(undefined) : changed;
}

export interface ListedInQueue extends QueuedLoop {
  readonly state: QueuedState;
}

export function listQueue(site: Site, asked: OfLoops): Result<readonly ListedInQueue[], Problem> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const queue = loadQueue(loops.value);
  if (queue.type === 'error') return queue;
  return ok(queue.value.loops.map((loop) => ({ ...loop, state: queuedState(site, loops.value, loop) })));
}
