/** Continues the queue of loops after its `queue run` was killed. */
import { describeProblem } from '../operations/describe-problem.ts';
import { findLeftQueue, runsOfQueue } from '../operations/loops/queue/queue-work.ts';
import type { Site } from '../operations/site.ts';
import type { Starting } from './schedules.ts';
import { type IdleRun, PAUSES_MS } from './take-up.ts';

/** A `queue run` resumes its loops itself, as many at once as it may. */
export function notOfQueue(site: Site, idle: readonly IdleRun[]): readonly IdleRun[] {
  const ofQueue = idle.length === 0 ? new Set() : runsOfQueue(site);
  return idle.filter(({ runId }) => !ofQueue.has(runId));
}

/** Returns when to look again, if that is known. */
export async function takeUpLoops(by: Starting): Promise<Date | undefined> {
  const { site, world, journal } = by;
  const left = findLeftQueue(site, { bootedAt: world.bootedAt() });
  if (left === undefined || !by.hasPlace()) return undefined;
  const { since, done, why } = left;
  const now = world.now();
  const before = journal.record.loops;
  const tries = before === undefined || before.since !== since || before.done !== done ? 0 : before.attempt;
  if (before !== undefined && tries > 0) {
    const pause = PAUSES_MS[tries - 1];
    if (pause === undefined) return undefined;
    const at = new Date(Date.parse(before.at) + pause);
    if (at > now) return at;
  }
  // G2
  await journal.append({ type: 'loops-taken-up', at: now.toISOString(), since, attempt: tries + 1, done });
  const started = await world.runLoops(left);
  by.say(
    started.type === 'ok'
      ? `continued the queue of loops: ${why}`
      : `cannot continue the queue of loops: ${describeProblem(started.error).message}`,
  );
  return undefined;
}
