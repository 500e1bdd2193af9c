import { error, ok, type Result } from '../model/result.ts';
import { httpDelivery } from './http-delivery.ts';
import type { Notice } from './notice.ts';
import { renderNotice } from './render-notice.ts';
import { type NotifyFormat, notifyTarget } from './render-request.ts';
import { Sender } from './sender.ts';
import { isWanted, type Subscription } from './subscription.ts';

export interface Notifier {
  send(notice: Notice): void;
  /** Waits briefly for notices that are being sent. */
  drain(): Promise<void>;
}

export interface NotifierOptions {
  readonly url: string;
  readonly format: NotifyFormat;
  readonly subscriptions: readonly Subscription[];
  /** The name of the loop. */
  readonly subject: string;
  /** Removes secrets: notices may contain text from agents' files, and leave the machine. */
  redact(notice: Notice): Notice;
  onProblem(problem: string): void;
}

const DRAIN_MS = 5000;

/** The error is a message for the user. */
export function createNotifier(options: NotifierOptions): Result<Notifier, string> {
  const target = notifyTarget(options.url, options.format);
  if (target.type === 'error') return error(`Invalid notify URL: ${target.error}`);
  const sender = new Sender({
    delivery: httpDelivery(target.value),
    onProblem: (problem) => options.onProblem(problem),
  });
  return ok({
    send(notice) {
      if (isWanted(options.subscriptions, notice))
        sender.send(renderNotice(options.subject, options.redact(notice)));
    },
    drain: () => sender.drain(DRAIN_MS),
  });
}
