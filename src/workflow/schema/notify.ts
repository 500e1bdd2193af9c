/** Where notifications are sent: in a workflow, and in the settings of a workspace or a user. */
import * as v from 'valibot';
import { NOTIFY_EVENTS, SERVICE_FORMATS } from '../../model/notify.ts';
import { later } from './later.ts';
import { argv, environmentName, oneOf, words } from './scalars.ts';

export const LOCAL_FORMATS = ['desktop', 'bell'] as const;

function createChannel() {
  return v.strictObject({
    url: v.optional(
      words('The address that messages are sent to: `http://`, `https://`, `slack://` or `discord://`.'),
    ),
    url_env: v.optional(environmentName('The environment variable with the address.')),
    format: v.optional(
      oneOf(
        [...SERVICE_FORMATS, ...LOCAL_FORMATS],
        'How messages are sent. Default: that of the address, or `ntfy`. `desktop` and `bell` have no address.',
      ),
    ),
    command: v.optional(
      argv(
        'A program that gets each message as JSON on its standard input, and as `ORCHESTRATE_NOTICE_*` variables.',
      ),
    ),
    events: v.optional(
      v.pipe(
        v.array(oneOf([...NOTIFY_EVENTS, 'all'], 'An event.')),
        v.nonEmpty('must name at least one event'),
        v.description('Which events are sent. Default: all but `resumed`.'),
      ),
    ),
  });
}

export type ChannelSource = v.InferOutput<ReturnType<typeof createChannel>>;

export const notify = later(() => {
  const one = v.union([words('An address, `desktop` or `bell`.'), createChannel()]);
  return v.pipe(
    v.union([...one.options, v.array(one)]),
    v.description(
      'Where a run reports that it waits for an answer, has ended, or waits for a usage limit: an address, `desktop`, `bell`, or `{url, format, events}`; or a list of these.',
    ),
  );
});

export type NotifySource = v.InferOutput<typeof notify>;
