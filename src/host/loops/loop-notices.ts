/** Sends notifications about the progress of a loop and changes of its status file. */
import type { Config } from '../../iterate/config/layers.ts';
import { callOf, type LoopEvent, loopEventOf } from '../../iterate/events/loop-event.ts';
import type { LoopTally } from '../../iterate/events/loop-tally.ts';
import { type StatusChange, StatusWatch } from '../../iterate/workspace/watch-status.ts';
import { spendingText } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { RunEvent } from '../../model/event.ts';
import { limitOf } from '../../model/open-limits.ts';
import type { Notice, SoFar } from '../../notify/notice.ts';
import type { Notifier } from '../../notify/notifier.ts';
import { limitText } from '../../report/text/limit.ts';
import type { LoopListener } from './loop-listener.ts';

const MILESTONE = 10;

export interface LoopNoticesOptions {
  readonly notifier: Notifier;
  readonly tally: LoopTally;
  readonly statusPath: string;
  readonly config: Config;
}

export function createLoopNotices(options: LoopNoticesOptions): LoopListener {
  const { notifier, tally, config } = options;
  let watch: StatusWatch | undefined;
  const notifyLimit = limitNotifier(notifier, tally);
  const watchStatus = (): void => {
    if (watch !== undefined || !config.get<boolean>('notification.statusWatch.enabled')) return;
    watch = new StatusWatch({
      path: options.statusPath,
      debounceMs: config.get<number>('notification.statusWatch.debounceMs'),
      notifyOnlyMeaningful: config.get<boolean>('notification.statusWatch.notifyOnlyMeaningful'),
      onChange: (change) => notifier.send(statusNotice(change, tally)),
    });
  };
  const endWatch = (): void => {
    watch?.close();
    watch = undefined;
  };
  const notify = (event: LoopEvent): void => {
    switch (event.type) {
      case 'call-started':
      case 'check-started':
        // Before the first iteration an old `complete` is reset: do not notify about that.
        watchStatus();
        break;
      case 'iteration-ended': {
        const { type: _, ...done } = event;
        const notice = { ...done, maxIterations: tally.maxIterations };
        notifier.send({ type: 'iteration', ...notice });
        if (done.iteration % MILESTONE === 0) notifier.send({ type: 'iteration_milestone', ...notice });
        break;
      }
      case 'question-asked':
        notifier.send({ type: 'question', message: event.message, choices: event.choices });
        break;
      case 'verified':
        if (config.get<boolean>('verification.notifyOnVerification'))
          notifier.send({ type: 'verification', status: event.status });
        break;
      default:
        // Partial: the others are not notified.
        break;
    }
  };
  return {
    event(event) {
      if (event.type === 'run-started')
        notifier.send({ type: 'execution_start', mode: tally.mode, maxIterations: tally.maxIterations });
      if (event.type === 'attempt-ended') notifyLimit(event);
      const meant = loopEventOf(event);
      if (meant !== undefined) notify(meant);
      if (event.type !== 'run-ended') return;
      endWatch();
      const notice = endNotice(event, meant, tally);
      if (notice !== undefined) notifier.send(notice);
    },
    close: endWatch,
  };
}

/** Notifies about a usage limit once. */
function limitNotifier(
  notifier: Notifier,
  tally: LoopTally,
): (event: Extract<RunEvent, { type: 'attempt-ended' }>) => void {
  let lastSent: string | undefined;
  return (event) => {
    const limit = event.counted ? undefined : limitOf(event);
    const name = limit === undefined ? undefined : `${event.key} ${limit.resets_at ?? ''}`;
    if (limit !== undefined && name !== lastSent) {
      const call = callOf(event.key);
      const waits = limitText(limit, Date.parse(event.at));
      notifier.send({
        type: 'usage_limit',
        ...(call?.type === 'iteration' ? { iteration: call.number } : {}),
        waits,
        ...soFar(tally),
      });
    }
    lastSent = name;
  };
}

function soFar({ last, spending }: LoopTally): SoFar {
  const cost = spendingText(spending)?.replace(/^cost /, '');
  return defined({ remaining: last?.remaining, cost });
}

function statusNotice({ status, completedDelta }: StatusChange, tally: LoopTally): Notice {
  return {
    type: 'status_update',
    iteration: tally.running ?? tally.done,
    completedDelta,
    complete: status.complete,
    ...defined({ progress: status.progress, summary: status.summary }),
  };
}

function endNotice(
  event: Extract<RunEvent, { type: 'run-ended' }>,
  meant: LoopEvent | undefined,
  tally: LoopTally,
): Notice | undefined {
  const output = meant?.type === 'loop-ended' ? meant.output : undefined;
  const summary = tally.last?.summary === undefined ? {} : { summary: tally.last.summary };
  switch (output?.stopReason) {
    case 'complete':
    case 'stagnation':
      return {
        type: 'completion',
        iterations: output.iterations,
        stopReason: output.stopReason,
        ...summary,
      };
    case 'max-iterations':
      return {
        type: 'ended',
        iterations: output.iterations,
        maxIterations: tally.maxIterations,
        ...soFar(tally),
      };
    case 'stopped':
      return undefined;
    default:
      // Partial: the other reasons are failures.
      break;
  }
  if (event.failure === undefined) return undefined;
  const message = describeFailure(event.failure);
  const failed = output?.stopReason === 'failed' ? callOf(output.failedStep ?? '') : undefined;
  return {
    type: 'error',
    ...(failed?.type === 'iteration' ? { iteration: failed.number } : {}),
    message,
  };
}
