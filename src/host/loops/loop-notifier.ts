import type { Config } from '../../iterate/config/layers.ts';
import type { NotifyEvent } from '../../iterate/mode.ts';
import type { JsonValue } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import type { Notice } from '../../notify/notice.ts';
import { createNotifier, type Notifier } from '../../notify/notifier.ts';
import type { NotifyFormat } from '../../notify/render-request.ts';
import type { Subscription } from '../../notify/subscription.ts';
import type { Site } from '../../operations/site.ts';
import { valuesToMask } from '../../process/environment.ts';
import { redactor } from '../../process/redact.ts';

/** Undefined if no URL is set. The error is a sentence for the user. */
export function loopNotifier(
  { environment }: Site,
  loop: { readonly name: string; readonly config: Config },
  onProblem: (problem: string) => void,
): Result<Notifier | undefined, string> {
  const url = loop.config.get<string | undefined>('notifyUrl');
  if (url === undefined) return ok(undefined);
  const redact = redactor(valuesToMask(environment as { readonly [name: string]: string }, []));
  return createNotifier({
    url,
    format: loop.config.get<NotifyFormat>('notify.format'),
    subscriptions: loop.config.get<readonly NotifyEvent[]>('notifyEvents') satisfies readonly Subscription[],
    subject: loop.name,
    redact: (notice) => (redact?.(notice as unknown as JsonValue) ?? notice) as unknown as Notice,
    onProblem,
  });
}
