/**
 * Works through the queue of loops. Each loop runs in a process of its own, as `iterate run` would start it.
 *
 * Y1 The truth about a loop is in its workspace and run: after a kill of this process or of all, the next `queue run` resumes what
 *    was interrupted, in the order of the queue, and waits for loops that still run.
 * Y2 A loop that waits for an answer takes no place; it is resumed when the answer is there.
 * Y3 A loop whose process is killed is resumed a few times; then it is left to the user.
 * Y4 Only options that the user trusts are used, also those of loops that are added meanwhile.
 * Y5 That it works is noted in the queue until it ends, so that a keeper can continue after a kill.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunOptions } from '../../iterate/run-options.ts';
import { changedLoop, type QueuedLoop } from '../../iterate/workspace/queue.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { mayRunQueued } from '../../operations/loops/queue/queue-claims.ts';
import { changeQueue, loadQueue, queueLock } from '../../operations/loops/queue/queue-file.ts';
import { noteWork, noteWorkEnded } from '../../operations/loops/queue/queue-work.ts';
import { type QueuedState, queuedState } from '../../operations/loops/queue/queued-state.ts';
import { type Loops, type OfLoops, openLoops } from '../../operations/loops/site/loops.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Site } from '../../operations/site.ts';
import { acquireLock, HEARTBEAT_MS } from '../../store/lock.ts';

type Listed = QueuedLoop & { readonly state: QueuedState };

export interface QueueWork extends OfLoops {
  readonly maxParallel: number;
  /** Runs a loop to its end; a resumed one keeps the options it was started with. */
  run(name: string, options: RunOptions | undefined): Promise<void>;
  onEvent(event: QueueEvent): void;
  /** Its reason: the name of the signal that ends the work. */
  readonly signal: AbortSignal;
  /** The queue is locked, and the work begins. */
  onBegin?(): void;
  /** None of the loops can continue. It is still locked: after a kill, a keeper would get here again. */
  onEnd(loops: readonly Listed[]): void;
}

export type QueueEvent =
  | { readonly type: 'started'; readonly name: string; readonly isResumed: boolean }
  | { readonly type: 'stopped'; readonly name: string; readonly state: QueuedState };

/** How often a killed loop is resumed. */
const MOST_RESUMES = 3;
const POLL_MS = 500;

/** Returns the states of all loops when none of them can continue. */
export async function runQueue(site: Site, work: QueueWork): Promise<Result<readonly Listed[], Problem>> {
  const loops = openLoops(site, work);
  if (loops.type === 'error') return loops;
  const queue = loadQueue(loops.value);
  if (queue.type === 'error') return queue;
  const may = mayRunQueued(site, loops.value, queue.value.loops);
  if (may.type === 'error') return may;
  const lock = acquireLock(queueLock(loops.value), { heartbeatMs: HEARTBEAT_MS });
  if (lock.type === 'error') return error({ type: 'loop-queue-held', held: lock.error });
  try {
    if (queue.value.loops.length === 0) return ok([]);
    const noted = await noteWork(site, loops.value, work.maxParallel);
    if (noted.type === 'error') return noted;
    let stopped: ReturnType<typeof noteWorkEnded> | undefined;
    const note = (): void => {
      stopped = noteWorkEnded(site, loops.value, String(work.signal.reason));
    };
    work.signal.addEventListener('abort', note, { once: true });
    work.onBegin?.();
    const done = await workThrough(site, loops.value, work);
    if (done.type === 'ok') work.onEnd(done.value);
    const ended = await (stopped ?? noteWorkEnded(site, loops.value, undefined));
    return ended.type === 'ok' ? done : ended;
  } finally {
    lock.value.release();
  }
}

async function workThrough(
  site: Site,
  loops: Loops,
  work: QueueWork,
): Promise<Result<readonly Listed[], Problem>> {
  const running = new Map<string, Promise<void>>();
  const attempts = new Map<string, number>();
  let problem: Problem | undefined;
  const list = (): Result<readonly Listed[], Problem> => {
    const queue = loadQueue(loops);
    if (queue.type === 'error') return queue;
    return ok(queue.value.loops.map((loop) => ({ ...loop, state: queuedState(site, loops, loop) })));
  };
  const note = async (name: string, change: Partial<QueuedLoop>): Promise<void> => {
    const changed = await changeQueue(loops, (queue) => changedLoop(queue, name, change));
    if (changed.type === 'error') problem = changed.error;
  };
  const carryOut = async (loop: Listed): Promise<void> => {
    const { name } = loop;
    const isResumed = loop.state.type === 'interrupted';
    attempts.set(name, (attempts.get(name) ?? 0) + 1);
    if (loop.startedAt === undefined) await note(name, { startedAt: site.now().toISOString() });
    work.onEvent({ type: 'started', name, isResumed });
    await work.run(name, isResumed ? undefined : loop.options);
    const listed = list();
    const state = listed.type === 'ok' ? listed.value.find((each) => each.name === name)?.state : undefined;
    if (state === undefined) return;
    // An answer makes it a new attempt.
    if (state.type === 'waiting') attempts.delete(name);
    if (state.type === 'ended') await note(name, { endedAt: site.now().toISOString() });
    work.onEvent({ type: 'stopped', name, state });
  };
  const mayStart = ({ name, state, endedAt }: Listed): boolean =>
    endedAt === undefined &&
    !running.has(name) &&
    (state.type === 'queued' || state.type === 'interrupted') &&
    (attempts.get(name) ?? 0) <= MOST_RESUMES;
  for (;;) {
    const listed = list();
    if (listed.type === 'error') return listed;
    if (problem !== undefined) return error(problem);
    const elsewhere = listed.value.filter(({ name, state, endedAt }) => {
      return endedAt === undefined && state.type === 'running' && !running.has(name);
    });
    const ready = work.signal.aborted ? [] : listed.value.filter(mayStart);
    const places = Math.max(0, work.maxParallel - running.size - elsewhere.length);
    for (const loop of ready.slice(0, places)) {
      const ended = carryOut(loop).finally(() => running.delete(loop.name));
      running.set(loop.name, ended);
    }
    for (const loop of listed.value)
      if (loop.endedAt === undefined && loop.state.type === 'ended' && !running.has(loop.name))
        await note(loop.name, { endedAt: site.now().toISOString() });
    if (running.size === 0 && (work.signal.aborted || (ready.length === 0 && elsewhere.length === 0)))
      return listed;
    const timer = new AbortController();
    await Promise.race([
      ...running.values(),
      delay(POLL_MS, undefined, { signal: timer.signal }).catch(() => {}),
    ]);
    timer.abort();
  }
}
