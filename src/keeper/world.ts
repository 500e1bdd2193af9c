/** What the keeper needs from the machine; a test gives it another clock and other processes. */
import os from 'node:os';
import type { Result } from '../model/result.ts';
import type { Problem } from '../operations/problem.ts';
import type { Prepared } from '../operations/run-plan.ts';

export interface KeeperWorld {
  now(): Date;
  bootedAt(): Date;
  /** Starts or resumes a run in a process of its own; returns when it is recorded. */
  start(prepared: Prepared): Promise<Result<unknown, Problem>>;
  /** Works through the queue of loops in a process of its own; returns when it has begun. */
  runLoops(queue: {
    readonly maxParallel: number;
    readonly workspacesDir?: string;
  }): Promise<Result<unknown, Problem>>;
  /** Resolves at `until`, when the signal is aborted, or after `atMostMs`: clocks are set, and laptops sleep. */
  sleep(
    until: Date | undefined,
    how: { readonly atMostMs: number; readonly signal: AbortSignal },
  ): Promise<void>;
}

export function realWorld(starts: Pick<KeeperWorld, 'start' | 'runLoops'>): KeeperWorld {
  return {
    ...starts,
    now: () => new Date(),
    bootedAt: () => new Date(Date.now() - os.uptime() * 1000),
    sleep: (until, { atMostMs, signal }) =>
      new Promise((resolve) => {
        const left = until === undefined ? atMostMs : until.getTime() - Date.now();
        const ms = Math.min(Math.max(0, left), atMostMs);
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        if (signal.aborted) done();
      }),
  };
}
