import fs from 'node:fs';
import type { RunStop } from '../engine/local-run.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import { killAllNow } from '../process/running-processes.ts';
import { runPaths } from '../store/layout.ts';
import { onStopSignal, type StopSignal } from './stop-signals.ts';

export interface Interrupts {
  readonly signal: AbortSignal;
  dispose(): void;
}

/**
 * The first signal stops the run gracefully; a second one kills its processes and exits at once. The run can be resumed either way.
 * If there is a cancel request in the run folder, the first signal cancels the run and runs its `finally` steps; a second one stops
 * those gracefully too.
 */
export function listenForInterrupts(options: {
  readonly plan: Pick<RunPlan, 'workspace' | 'runId' | 'isCancelled'>;
  onFirst(stop: RunStop, signal: string): void;
  /** Must end the process. */
  onSecond(signal: StopSignal): never;
}): Interrupts {
  const controller = new AbortController();
  const endNow = new AbortController();
  const cancelled: RunStop = { type: 'cancelled', endNow: endNow.signal };
  const { cancelRequest } = runPaths(options.plan.workspace, options.plan.runId);
  if (options.plan.isCancelled === true) controller.abort(cancelled);
  const dispose = onStopSignal((signal) => {
    if (isCancelled(controller.signal) && !endNow.signal.aborted) {
      endNow.abort();
      return;
    }
    if (controller.signal.aborted) {
      killAllNow();
      options.onSecond(signal);
    }
    const stop: RunStop = fs.existsSync(cancelRequest) ? cancelled : { type: 'interrupted', signal };
    options.onFirst(stop, signal);
    controller.abort(stop);
  });
  return { signal: controller.signal, dispose };
}

function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as RunStop).type === 'cancelled';
}
