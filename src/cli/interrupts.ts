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
 * A stop that comes with a cancel request beside the run is a cancellation.
 */
export function listenForInterrupts(options: {
  cancelRequest(): string;
  onFirst(signal: string): void;
  onSecond(): void;
}): Interrupts {
  const controller = new AbortController();
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      if (controller.signal.aborted) {
        killAllNow();
        options.onSecond();
        process.exit(EXIT.interrupted[signal]);
      }
      const stop: RunStop = fs.existsSync(options.cancelRequest())
        ? { type: 'cancelled' }
        : { type: 'interrupted', signal };
      options.onFirst(signal);
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
