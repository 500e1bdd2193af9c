/** Addresses that contain a credential: `https://user:password@host/…`, and webhooks of services, whose path is the credential. */
export interface Credentials {
  /** The address without the credential. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

const AUTHORITY = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#\s]*)@/i;
const WEBHOOK =
  /^((?:slack|discord):\/\/|https:\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/)([^?#\s]+)/i;

/** Decoded: `%40` is `@`. */
export function credentialsOf(url: string): Credentials | undefined {
  const found = AUTHORITY.exec(url);
  if (found === null) return undefined;
  const [whole, scheme = '', written = ''] = found;
  const colon = written.indexOf(':');
  const [user, password] = colon === -1 ? [written, ''] : [written.slice(0, colon), written.slice(colon + 1)];
  return { url: `${scheme}${url.slice(whole.length)}`, user: decoded(user), password: decoded(password) };
}

/** The parts of an address that must be kept secret. */
export function secretsInAddress(url: string): readonly string[] {
  const credentials = credentialsOf(url);
  const webhook = WEBHOOK.exec(credentials?.url ?? url)?.[2];
  const secrets = [credentials?.password || credentials?.user, webhook, webhook?.split('/').at(-1)];
  return secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
}

const INSIDE_TEXT = /([a-z][a-z0-9+.-]{0,30}:\/\/)([^/?#\s@"'`]{1,1000})@/gi;
const WEBHOOK_INSIDE_TEXT =
  /((?:slack|discord):\/\/|https:\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/)([^?#\s"'`,}\]]{1,1000})/gi;

/** A text with stars in the place of the credentials of its addresses. It stays as long as it is, so that marks under it still fit. */
export function withoutCredentials(text: string): string {
  if (!text.includes('://')) return text;
  return text
    .replace(INSIDE_TEXT, (_, scheme: string, secret: string) => `${scheme}${'*'.repeat(secret.length)}@`)
    .replace(
      WEBHOOK_INSIDE_TEXT,
      (_, start: string, secret: string) => `${start}${'*'.repeat(secret.length)}`,
    );
}

/** For display, and for files that others may read. */
export function shownAddress(url: string): string {
  // Even a mistyped address may contain a password.
  const credentials = url.includes('://') ? AUTHORITY : /^()\S*@/;
  return url.replace(credentials, '$1***@').replace(WEBHOOK, '$1***');
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
