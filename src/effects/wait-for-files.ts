/**
 * Waits until enough files match. Changes in folders that can contain a match are noticed at once; the folders are also polled every
 * `pollMs`. What has elapsed before this attempt counts, so that a restart does not extend the wait.
 */
import { join } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import { exitCodeFor, type Failure, outcomeName } from '../model/failure.ts';
import type { WorkOutput } from '../model/record.ts';
import { FolderWatch } from '../store/folder-watch.ts';
import { findFiles } from '../store/glob.ts';
import { shownGlob } from '../store/glob-pattern.ts';
import type { WaitForFilesInput } from './contracts.ts';
import { timeLimit } from './time-limit.ts';

/** Node's longest timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MIN_PAUSE_MS = 2;

export const waitForFiles: Effect<WaitForFilesInput, WorkOutput> = async (input, context) => {
  const { workspace } = context.run;
  const { signal } = context;
  const { elapsedMs = 0 } = context;
  const startedAt = Date.now() - elapsedMs;
  const { timeoutMs = input.timeoutMs } = timeLimit({ timeoutMs: input.timeoutMs - elapsedMs }, context);
  const deadline = startedAt + input.timeoutMs;
  const begunAt = performance.now();
  const changes = new Changes();
  const watch = new FolderWatch(() => changes.happened());
  const interrupted = () => changes.happened();
  signal.addEventListener('abort', interrupted);
  try {
    for (let pollCount = 1; ; pollCount += 1) {
      signal.throwIfAborted();
      const lookedFor = performance.now();
      // Even if the wall clock was set back, no wait exceeds its limit.
      const isLastLook = Date.now() >= deadline || lookedFor - begunAt >= timeoutMs;
      const folders: string[] = [];
      const found = findFiles(workspace, input.glob, { onFolder: (folder) => folders.push(folder) });
      const waitDurationMs = Math.max(Math.round(lookedFor - begunAt), Date.now() - startedAt);
      const waited = { waitDurationMs, pollCount };
      if (found.type === 'error') return failed(found.error, { ...waited, timedOut: false });
      const files = found.value;
      if (files.length >= input.minCount)
        return { exitCode: 0, outcome: 'done', files, ...waited, timedOut: false };
      if (isLastLook) {
        const { glob, minCount } = input;
        const waitedFor = { glob: shownGlob(glob), wanted: minCount, found: files.length };
        const failure: Failure = { type: 'timed-out', afterMs: input.timeoutMs, waitedFor };
        return failed(failure, { files, ...waited, timedOut: true });
      }
      // Files that appeared before a folder was watched were not reported: check again.
      if (watch.add(folders.map((folder) => join(workspace, folder)))) continue;
      const pauseMs = Math.max(MIN_PAUSE_MS, performance.now() - lookedFor);
      const leftMs = Math.min(deadline - Date.now(), begunAt + timeoutMs - performance.now());
      await changes.next({ withinMs: Math.min(input.pollMs, leftMs), pauseMs, signal });
    }
  } finally {
    signal.removeEventListener('abort', interrupted);
    watch.close();
    changes.close();
  }
};

function failed(failure: Failure, known: Partial<WorkOutput>): WorkOutput {
  return { exitCode: exitCodeFor(failure), outcome: outcomeName(failure), failure, ...known };
}

interface NextChange {
  readonly withinMs: number;
  /** Frequent changes are handled together, so that searching takes at most half of the time. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

class Changes {
  #pending = false;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  happened(): void {
    this.#pending = true;
    this.#wake?.();
  }

  async next({ withinMs, pauseMs, signal }: NextChange): Promise<void> {
    const startedAt = performance.now();
    if (!this.#pending && !signal.aborted) await this.#sleep(withinMs);
    const restMs = pauseMs - (performance.now() - startedAt);
    if (this.#pending && restMs > 0 && !signal.aborted) await this.#sleep(restMs);
    this.#pending = false;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#timer = setTimeout(resolve, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    });
    clearTimeout(this.#timer);
    this.#wake = undefined;
  }
}
