/** Waits until something happens in a run. Reads only. */
import fs from 'node:fs';
import type { JournalEvent } from '../../model/event.ts';
import { ok, type Result } from '../../model/result.ts';
import { FolderWatch } from '../../store/folder-watch.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { type RunWithEvents, readRunWithEvents } from './read-run.ts';

export interface FollowRun {
  readonly run: string;
  /** How many events the caller has seen. */
  readonly after: number;
  /** How long to wait for the next one. */
  readonly forMs: number;
  /** Wait until no process runs it, instead. */
  readonly untilEnd?: boolean;
  readonly signal?: AbortSignal;
}

export interface RunFollowed {
  readonly run: RunWithEvents;
  readonly events: readonly JournalEvent[];
  /** `after` for the next call. */
  readonly seen: number;
}

const LOOK_EVERY_MS = 500;

/** Returns at once if there are events after `after`, unless the end is asked for, or if no process will write any. */
export async function followRun(
  site: Pick<Site, 'workspace'>,
  asked: FollowRun,
): Promise<Result<RunFollowed, Problem>> {
  const until = performance.now() + asked.forMs;
  for (;;) {
    const read = readRunWithEvents(site, asked.run);
    if (read.type === 'error') return read;
    const run = read.value;
    const events = run.events.slice(asked.after);
    const left = until - performance.now();
    const isWorthTelling = events.length > 0 && asked.untilEnd !== true;
    if (isWorthTelling || !run.isAlive || left <= 0 || asked.signal?.aborted === true)
      return ok({ run, events, seen: run.events.length });
    await changed(run, left, asked.signal);
  }
}

/** Until the journal has changed or its process may have ended. */
async function changed({ paths }: RunWithEvents, mostMs: number, signal?: AbortSignal): Promise<void> {
  const size = (): number => fs.statSync(paths.journal, { throwIfNoEntry: false })?.size ?? 0;
  const before = size();
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      watch.close();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const watch = new FolderWatch(() => {
      if (size() !== before) done();
    });
    const timer = setTimeout(done, Math.min(mostMs, LOOK_EVERY_MS));
    signal?.addEventListener('abort', done);
    watch.add([paths.directory]);
  });
}
