import { NOTIFY_EVENTS, type NotifyChannel, type NotifyWay, USUAL_EVENTS } from '../../../model/notify.ts';
import type { ChannelSource, NotifySource } from '../../schema/notify.ts';

export function defineNotify(source: NotifySource | undefined): readonly NotifyChannel[] {
  if (source === undefined) return [];
  const list = Array.isArray(source) ? source : [source];
  return list.flatMap((each): readonly NotifyChannel[] => {
    const channel = typeof each === 'string' ? shortForm(each) : each;
    const way = wayOf(channel);
    return way === undefined ? [] : [{ way, events: eventsOf(channel) }];
  });
}

function shortForm(word: string): ChannelSource {
  return word === 'desktop' || word === 'bell' ? { format: word } : { url: word };
}

/** A rule has checked that there is exactly one. */
function wayOf({ url, url_env, format = 'ntfy', command }: ChannelSource): NotifyWay | undefined {
  if (command !== undefined) return { type: 'command', argv: command };
  if (format === 'desktop' || format === 'bell') return { type: format };
  if (url !== undefined) return { type: 'service', url, format };
  return url_env === undefined ? undefined : { type: 'service-in', variable: url_env, format };
}

function eventsOf({ events }: ChannelSource): NotifyChannel['events'] {
  if (events === undefined) return USUAL_EVENTS;
  return NOTIFY_EVENTS.filter((name) => events.includes('all') || events.includes(name));
}
