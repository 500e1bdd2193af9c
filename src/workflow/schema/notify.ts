/** `notify`: the same in workflow files and in configuration files. */
import * as v from 'valibot';
import { defined } from '../../model/defined.ts';
import { NOTIFY_EVENTS, NOTIFY_FORMATS, type NotifySetting } from '../../model/notify-setting.ts';
import { words } from './scalars.ts';

const target = v.strictObject({
  url: v.optional(words('The address: `https://…`, `slack://…` or `discord://…`.')),
  format: v.optional(
    v.pipe(
      v.picklist(NOTIFY_FORMATS),
      v.description(
        'The form of the message. Default: `ntfy` for an address. `desktop` and `bell` need none.',
      ),
    ),
  ),
  command: v.optional(
    v.pipe(
      v.array(words('An argument.')),
      v.nonEmpty('must name a program'),
      v.description('A program that gets the message as JSON on its standard input.'),
    ),
  ),
  events: v.optional(
    v.pipe(
      v.array(v.picklist(NOTIFY_EVENTS)),
      v.description('What to tell about. Default: `waiting`, `failed` and `completed`.'),
    ),
    ['waiting', 'failed', 'completed'],
  ),
});

export const notify = v.pipe(
  v.union([target, v.array(target)]),
  v.description('Who is notified when a run needs a person or ends.'),
);

type NotifySource = v.InferOutput<typeof notify>;

export function notifySettings(source: NotifySource): readonly NotifySetting[] {
  const targets = Array.isArray(source) ? source : [source];
  return targets.map(({ url, format, command, events }) => ({
    ...defined({ url, format, command }),
    events,
  }));
}
