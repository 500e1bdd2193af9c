import fs from 'node:fs';
import type { RunStop } from '../engine/local-run.ts';
import { killAllNow } from '../process/running-processes.ts';
import { EXIT } from './exit-codes.ts';

export interface Interrupts {
  readonly signal: AbortSignal;
  dispose(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first signal stops the run in order; a second one kills what runs and ends the process at once — the run can be resumed then
 * as after a kill.
 * A stop that comes with a cancel request beside the run is a cancellation: what is done at the end of the run is done, and a second
 * one ends that in order too.
 */
export function listenForInterrupts(options: {
  cancelRequest(): string;
  /** From the beginning. */
  readonly isCancelled: boolean;
  onFirst(stop: RunStop, signal: string): void;
  onSecond(): void;
}): Interrupts {
  const controller = new AbortController();
  const endNow = new AbortController();
  const cancelled: RunStop = { type: 'cancelled', endNow: endNow.signal };
  if (options.isCancelled) controller.abort(cancelled);
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      if (isCancelled(controller.signal) && !endNow.signal.aborted) {
        endNow.abort();
        return;
      }
      if (controller.signal.aborted) {
        killAllNow();
        options.onSecond();
        process.exit(EXIT.interrupted[signal]);
      }
      const stop: RunStop = fs.existsSync(options.cancelRequest())
        ? cancelled
        : { type: 'interrupted', signal };
      options.onFirst(stop, signal);
      controller.abort(stop);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    signal: controller.signal,
    dispose() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as RunStop).type === 'cancelled';
}
