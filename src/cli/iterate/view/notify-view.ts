/** Tells somebody who does not look on: the events of a run and the changes of its status file, as notifications. */

import { redactor } from '../../../host/redact.ts';
import type { Config } from '../../../iterate/config/layers.ts';
import type { IterateInput } from '../../../iterate/input.ts';
import type { NotifyEvent } from '../../../iterate/mode.ts';
import { type StatusChange, StatusWatch } from '../../../iterate/workspace/watch-status.ts';
import { describeFailure } from '../../../model/describe-failure.ts';
import type { RunEvent } from '../../../model/event.ts';
import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { limitOf } from '../../../model/open-limits.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Notice } from '../../../notify/notice.ts';
import { renderNotice } from '../../../notify/render-notice.ts';
import { type NotifyFormat, notifyTarget } from '../../../notify/render-request.ts';
import { Sender } from '../../../notify/sender.ts';
import { valuesToMask } from '../../../process/environment.ts';
import type { Reporter } from '../../../report/live/reporter.ts';
import { limitText } from '../../../report/text/limit.ts';
import { iterationDone, iterationOf, outputOf, type RunTally } from './tally.ts';

const MILESTONE = 10;

export interface Notifier {
  tell(notice: Notice): void;
  /** Waits for what is being sent, but not for long. */
  drain(): Promise<void>;
}

const DRAIN_MS = 5000;

/** Nothing where no address is set. The problem is a sentence for the user. */
export function createNotifier(
  config: Config,
  workspace: string,
  onProblem: (problem: string) => void,
): Result<Notifier | undefined, string> {
  const url = config.get<string | undefined>('notifyUrl');
  if (url === undefined) return ok(undefined);
  const target = notifyTarget(url, config.get<NotifyFormat>('notify.format'));
  if (target.type === 'error') return error(`Invalid notify URL: ${target.error}`);
  const events = config.get<readonly NotifyEvent[]>('notifyEvents');
  const sender = new Sender({ target: target.value, onProblem });
  // What it tells of comes from files of the agent, too, and leaves the machine.
  const redact = redactor(valuesToMask({ ...process.env } as Record<string, string>, []));
  return ok({
    tell(notice) {
      if (!isWanted(events, notice)) return;
      const safe = redact?.(notice as unknown as JsonValue) ?? notice;
      sender.send(renderNotice(workspace, safe as unknown as Notice));
    },
    drain: () => sender.drain(DRAIN_MS),
  });
}

/**
 * How a verification ended is told to who wants to know of completion or of errors; it has a switch of its own besides. A usage limit is
 * told to who wants to know of errors or of progress.
 */
function isWanted(events: readonly NotifyEvent[], notice: Notice): boolean {
  return events.includes('all') || wantedWith(notice).some((event) => events.includes(event));
}

function wantedWith(notice: Notice): readonly NotifyEvent[] {
  switch (notice.type) {
    case 'verification':
      return [notice.status === 'pass' ? 'completion' : 'error'];
    case 'usage_limit':
      return ['error', 'status_update'];
    default:
      // Partial: every other notice has a setting of its own name.
      return [notice.type];
  }
}

export interface NotifyViewOptions {
  readonly notifier: Notifier;
  readonly input: IterateInput;
  readonly tally: RunTally;
  readonly statusPath: string;
  readonly config: Config;
}

export function createNotifyView(options: NotifyViewOptions): Reporter {
  const { notifier, input, tally, config } = options;
  let watch: StatusWatch | undefined;
  /** The limit that was told last: one that goes on is told once. */
  let toldLimit: string | undefined;
  const tellLimit = (event: Extract<RunEvent, { type: 'attempt-ended' }>): void => {
    const limit = event.counted ? undefined : limitOf(event);
    const name = limit === undefined ? undefined : `${event.key} ${limit.resets_at ?? ''}`;
    if (limit !== undefined && name !== toldLimit) {
      const iteration = iterationOf(event.key);
      const waits = limitText(limit, Date.parse(event.at));
      notifier.tell({ type: 'usage_limit', ...(iteration === undefined ? {} : { iteration }), waits });
    }
    toldLimit = name;
  };
  const watchStatus = (): void => {
    if (watch !== undefined || !config.get<boolean>('notification.statusWatch.enabled')) return;
    watch = new StatusWatch({
      path: options.statusPath,
      debounceMs: config.get<number>('notification.statusWatch.debounceMs'),
      notifyOnlyMeaningful: config.get<boolean>('notification.statusWatch.notifyOnlyMeaningful'),
      onChange: (change) => notifier.tell(statusNotice(change, tally)),
    });
  };
  return {
    event(event: RunEvent) {
      if (event.type === 'run-started')
        notifier.tell({ type: 'execution_start', mode: input.mode, maxIterations: input.maxIterations });
      // Before the first iteration begins an old claim has been taken back: that is no news.
      if (event.type === 'step-started' && /^(?:iteration|verification)\//.test(event.key)) watchStatus();
      if (event.type === 'attempt-ended') tellLimit(event);
      const done = iterationDone(event);
      if (done !== undefined) {
        const told = { ...done, maxIterations: input.maxIterations };
        notifier.tell({ type: 'iteration', ...told });
        if (done.iteration % MILESTONE === 0) notifier.tell({ type: 'iteration_milestone', ...told });
      }
      const verified = verifiedIn(event);
      if (verified !== undefined && config.get<boolean>('verification.notifyOnVerification'))
        notifier.tell(verified);
      if (event.type === 'run-ended') {
        watch?.close();
        watch = undefined;
        const notice = endNotice(event, tally);
        if (notice !== undefined) notifier.tell(notice);
      }
    },
    say() {},
    close() {
      watch?.close();
    },
  };
}

function statusNotice({ status, completedDelta }: StatusChange, tally: RunTally): Notice {
  return {
    type: 'status_update',
    iteration: tally.running ?? tally.done,
    completedDelta,
    complete: status.complete,
    ...(status.progress === undefined ? {} : { progress: status.progress }),
    ...(status.summary === undefined ? {} : { summary: status.summary }),
  };
}

function verifiedIn(event: RunEvent): Notice | undefined {
  if (event.type !== 'step-ended' || !/^verification\/\d+@metadata$/.test(event.key)) return undefined;
  const document = isJsonObject(event.output) ? event.output['document'] : undefined;
  const verification = isJsonObject(document) ? document['verification'] : undefined;
  const status = isJsonObject(verification) ? verification['lastVerificationStatus'] : undefined;
  return status === 'pass' || status === 'fail' || status === 'needs_review'
    ? { type: 'verification', status }
    : undefined;
}

function endNotice(event: Extract<RunEvent, { type: 'run-ended' }>, tally: RunTally): Notice | undefined {
  const output = outputOf(event);
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
    case 'stopped':
      return undefined;
    default:
      // Partial: the other reasons are failures.
      break;
  }
  if (event.failure === undefined) return undefined;
  const message = describeFailure(event.failure);
  const iteration = output?.stopReason === 'failed' ? iterationOf(output.failedStep ?? '') : undefined;
  return { type: 'error', ...(iteration === undefined ? {} : { iteration }), message };
}
