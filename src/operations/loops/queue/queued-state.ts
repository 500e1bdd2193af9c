/** What a loop of the queue is doing now: the truth is in its workspace and its run, not in the queue. */

import { isPause } from '../../../iterate/events/pause.ts';
import type { QueuedLoop } from '../../../iterate/workspace/queue.ts';
import { defined } from '../../../model/defined.ts';
import { heldBy } from '../../../store/lock.ts';
import { describeProblem } from '../../describe-problem.ts';
import type { Site } from '../../site.ts';
import { findLeftRun } from '../run/left-run.ts';
import { openWorkspace } from '../site/find-loop.ts';
import { openQuestions } from '../site/left-state.ts';
import type { Loops } from '../site/loops.ts';
import { mayRunQueued } from './queue-claims.ts';

export type QueuedState =
  | { readonly type: 'queued' }
  /** By a process of this or another terminal. */
  | { readonly type: 'running'; readonly pid: number }
  /** Its process was killed or interrupted. */
  | { readonly type: 'interrupted' }
  /** Until someone answers, or runs the paused loop. */
  | { readonly type: 'waiting'; readonly questions: readonly string[] }
  | { readonly type: 'paused' }
  | { readonly type: 'ended'; readonly status: string; readonly stopReason?: string }
  /** Its workspace cannot be opened. */
  | { readonly type: 'unusable'; readonly why: string };

export function queuedState(site: Site, loops: Loops, loop: QueuedLoop): QueuedState {
  const opened = openWorkspace(loops, loop.name);
  if (opened.type === 'error') return { type: 'unusable', why: describeProblem(opened.error).message };
  const { metadata, paths } = opened.value;
  const held = heldBy(paths.lock);
  if (held !== undefined) return { type: 'running', pid: held.owner.pid };
  if (loop.startedAt === undefined) return notStarted(site, loops, loop);
  const { status, stopReason } = metadata;
  const { run } = findLeftRun(site, metadata);
  if (run === undefined) {
    const isBegun = (metadata.lastRun ?? '') >= loop.startedAt;
    return isBegun ? { type: 'ended', status, ...defined({ stopReason }) } : notStarted(site, loops, loop);
  }
  const open = openQuestions(run.paths, run.state);
  if (open.some(({ key }) => isPause(key))) return { type: 'paused' };
  return open.length > 0
    ? { type: 'waiting', questions: open.map(({ message }) => message) }
    : { type: 'interrupted' };
}

/** Also if it was to be started and the process was killed before it did: it starts with its options. */
function notStarted(site: Site, loops: Loops, loop: QueuedLoop): QueuedState {
  return mayRunQueued(site, loops, [loop]).type === 'ok'
    ? { type: 'queued' }
    : { type: 'unusable', why: 'its options in the queue are not trusted; run the queue again to be asked' };
}
