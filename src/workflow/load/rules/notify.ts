import type { Places } from '../../../store/yaml/places.ts';
import type { Report } from '../../../store/yaml/report.ts';
import type { ChannelSource, NotifySource } from '../../schema/notify.ts';
import type { Check } from './rule.ts';

type Code = 'workflow/conflicting-keys' | 'workflow/invalid-value';

const ADDRESS = /^(?:https?|slack|discord):\/\/[^\s/]/i;

interface Means {
  readonly places: Places;
  readonly report: Report<Code>;
}

export function checkNotify({ file, report }: Check): void {
  checkChannels(file.source, { places: file.places, report });
}

/** Each channel has exactly one way to send. Also for the settings of a workspace or a user, which have the same key. */
export function checkChannels(source: { readonly notify?: NotifySource | undefined }, means: Means): void {
  const { notify } = source;
  const list = Array.isArray(notify) ? notify : [notify];
  for (const [index, channel] of list.entries()) {
    if (typeof channel === 'string')
      checkWord(channel, Array.isArray(notify) ? [notify, index] : [source, 'notify'], means);
    else if (channel !== undefined && means.places.isWhole(channel)) checkChannel(channel, means);
  }
}

type Place = readonly [container: object, key: string | number];

/** The value is not in the message: it may hold a password. */
function checkWord(word: string, [container, key]: Place, { places, report }: Means): void {
  if (word === 'desktop' || word === 'bell' || ADDRESS.test(word)) return;
  report.error('workflow/invalid-value', places.valueRange(container, key), {
    message: '`notify` must be an address, `desktop` or `bell`',
    help: 'an address starts with `https://`, `http://`, `slack://` or `discord://`',
  });
}

function checkChannel(channel: ChannelSource, { places, report }: Means): void {
  if (channel.url !== undefined && !ADDRESS.test(channel.url))
    report.error('workflow/invalid-value', places.valueRange(channel, 'url'), {
      message: '`url` must start with `http://`, `https://`, `slack://` or `discord://`',
    });
  const ways = waysIn(channel);
  if (ways.length === 1) return;
  const [, second] = ways;
  report.error('workflow/conflicting-keys', places.keyRange(channel, second ?? ''), {
    message:
      second === undefined
        ? 'a notification needs `url`, `url_env`, `command`, `format: desktop` or `format: bell`'
        : `\`${ways[0]}\` and \`${second}\` exclude each other`,
    ...(second === undefined
      ? { help: 'to notify a phone: `url: https://ntfy.sh/<topic>`' }
      : { help: 'make `notify` a list to notify in several ways' }),
  });
}

function waysIn({ url, url_env, command, format }: ChannelSource): readonly string[] {
  return [
    ...(url === undefined ? [] : ['url']),
    ...(url_env === undefined ? [] : ['url_env']),
    ...(command === undefined ? [] : ['command']),
    ...(format === 'desktop' || format === 'bell' || (format !== undefined && command !== undefined)
      ? ['format']
      : []),
  ];
}
