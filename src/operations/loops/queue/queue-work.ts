/**
 * That the queue of loops is being worked through, so that someone else can continue after a kill. The record is sealed: a queue that came
 * with a folder is continued by no one.
 */
import type { QueueWork } from '../../../iterate/workspace/queue.ts';
import { defined } from '../../../model/defined.ts';
import type { Result } from '../../../model/result.ts';
import { heldBy } from '../../../store/lock.ts';
import { createSeals, type Seals } from '../../../store/seal.ts';
import { userFolder } from '../../../store/user-folder.ts';
import type { Problem } from '../../problem.ts';
import { endedByShutdown } from '../../runs/ended-by-shutdown.ts';
import type { Site } from '../../site.ts';
import { openWorkspace } from '../site/find-loop.ts';
import type { Loops } from '../site/loops.ts';
import { changeQueue, loadQueue, queueLock } from './queue-file.ts';
import { noteFolder, placesOfQueues } from './queue-folders.ts';

/** Call it with the lock held. */
export async function noteWork(
  site: Site,
  loops: Loops,
  maxParallel: number,
): Promise<Result<unknown, Problem>> {
  const noted = await noteFolder(site, loops);
  if (noted.type === 'error') return noted;
  const since = site.now().toISOString();
  const seal = sealsOf(site).seal(sealed(loops, { maxParallel, since }));
  return changeQueue(loops, (queue) => ({ ...queue, work: { maxParallel, since, ...defined({ seal }) } }));
}

/** `signal`: what ended it; by itself it ends when nothing is left to do. */
export async function noteWorkEnded(
  site: Site,
  loops: Loops,
  signal: string | undefined,
): Promise<Result<unknown, Problem>> {
  const at = site.now().toISOString();
  return changeQueue(loops, ({ work, ...queue }) =>
    work === undefined || signal === undefined
      ? queue
      : { ...queue, work: { ...work, stopped: { signal, at } } },
  );
}

export interface LeftQueue {
  /** The folder of its loops, if it is not the configured one. */
  readonly workspacesDir?: string;
  readonly maxParallel: number;
  readonly since: string;
  /** Grows with every loop that starts or ends. */
  readonly done: number;
  readonly why: string;
}

/** The first queue whose `queue run` was killed, or stopped by the shutdown of the machine. */
export function findLeftQueue(site: Site, moment: { readonly bootedAt: Date }): LeftQueue | undefined {
  for (const { loops, isNamed } of placesOfQueues(site)) {
    const left = leftIn(site, loops, moment);
    if (left !== undefined) return isNamed ? { ...left, workspacesDir: loops.workspacesDir } : left;
  }
  return undefined;
}

function leftIn(site: Site, loops: Loops, moment: { readonly bootedAt: Date }): LeftQueue | undefined {
  const queue = loadQueue(loops);
  const work = queue.type === 'ok' ? queue.value.work : undefined;
  if (queue.type === 'error' || work === undefined) return undefined;
  if (heldBy(queueLock(loops)) !== undefined) return undefined;
  const { maxParallel, since, stopped } = work;
  if (stopped !== undefined && !endedByShutdown({ signal: stopped.signal, endedAt: stopped.at }, moment))
    return undefined;
  if (!sealsOf(site).isSealed(sealed(loops, work), work.seal)) return undefined;
  const times = queue.value.loops.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]);
  return {
    ...{ maxParallel, since, done: times.filter((at) => at !== undefined).length },
    why: stopped === undefined ? 'its process died' : 'the machine was shut down',
  };
}

function sealsOf({ environment }: Site): Seals {
  return createSeals(userFolder(environment));
}

function sealed({ workspacesDir }: Loops, { maxParallel, since }: QueueWork): string {
  return `queue of loops ${JSON.stringify([workspacesDir, maxParallel, since])}`;
}

/** The runs of loops that a living `queue run` resumes itself. */
export function runsOfQueue(site: Site): ReadonlySet<string> {
  return new Set(placesOfQueues(site).flatMap(({ loops }) => runsIn(loops)));
}

function runsIn(loops: Loops): readonly string[] {
  if (heldBy(queueLock(loops)) === undefined) return [];
  const queue = loadQueue(loops);
  const started = (queue.type === 'ok' ? queue.value.loops : []).filter(
    ({ startedAt, endedAt }) => startedAt !== undefined && endedAt === undefined,
  );
  return started.flatMap(({ name }) => {
    const workspace = openWorkspace(loops, name);
    return workspace.type === 'ok' ? (workspace.value.metadata.run?.id ?? []) : [];
  });
}
