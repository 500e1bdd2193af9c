import { credentialsOf, shownAddress } from '../model/address.ts';
import type { ServiceFormat } from '../model/notify.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Message } from './notice.ts';

export type NotifyFormat = ServiceFormat;

export interface NotifyTarget {
  /** Without credentials, which are not allowed in the URL of a request. */
  readonly url: string;
  readonly format: NotifyFormat;
  /** The header with the credentials. */
  readonly authorization?: string;
}

export interface NotifyRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

const DISCORD_LONGEST = 2000;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/**
 * `https://…` is used as written; `slack://A/B/C` and `discord://id/token` become the services' own addresses, or `slack://host/path`
 * if the first part is a host. The scheme decides the format.
 */
export function notifyTarget(url: string, format: NotifyFormat): Result<NotifyTarget, string> {
  if (/^https?:\/\//i.test(url)) return targetAt(url, { url, format });
  const service = /^(slack|discord):\/\/(.+)$/i.exec(url);
  const rest = service?.[2];
  if (rest === undefined)
    return error(`\`${shownAddress(url)}\` does not start with http://, https://, slack:// or discord://`);
  const name = service?.[1]?.toLowerCase() === 'slack' ? 'slack' : 'discord';
  const [first = ''] = rest.split('/');
  if (first.includes('.') || LOOPBACK.test(first)) {
    const address = `${LOOPBACK.test(first) ? 'http' : 'https'}://${rest}`;
    return targetAt(address, { url, format: name });
  }
  const base = name === 'slack' ? 'https://hooks.slack.com/services/' : 'https://discord.com/api/webhooks/';
  return ok({ url: `${base}${rest}`, format: name });
}

function targetAt(address: string, given: NotifyTarget): Result<NotifyTarget, string> {
  if (!URL.canParse(address)) return error(`\`${shownAddress(given.url)}\` is not a valid address`);
  const credentials = credentialsOf(address);
  if (credentials === undefined) return ok({ url: address, format: given.format });
  const { url, user, password } = credentials;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return ok({ url, format: given.format, authorization });
}

export function renderRequest(target: NotifyTarget, message: Message): NotifyRequest {
  const request = withoutCredentials(target, message);
  if (target.authorization === undefined) return request;
  return { ...request, headers: { ...request.headers, Authorization: target.authorization } };
}

function withoutCredentials(target: NotifyTarget, message: Message): NotifyRequest {
  const text = `${message.title}\n${message.body}`;
  switch (target.format) {
    case 'ntfy':
      return {
        url: target.url,
        headers: {
          'Content-Type': 'text/plain',
          Title: headerText(message.title),
          Priority: message.priority,
          Tags: headerText(message.tags.join(',')),
          ...(message.url === undefined ? {} : { Click: headerText(message.url) }),
        },
        body: message.body,
      };
    case 'slack':
      return json(target.url, { text });
    case 'discord':
      return json(target.url, {
        content: text.length > DISCORD_LONGEST ? `${text.slice(0, DISCORD_LONGEST - 1)}…` : text,
      });
    case 'json':
      return json(target.url, message);
    default:
      return unreachable(target.format);
  }
}

function json(url: string, value: unknown): NotifyRequest {
  return { url, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

/** Headers are ASCII; other text is encoded as in mail headers, which ntfy understands. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}
