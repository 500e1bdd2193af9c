/**
 * Who may ask what. Checked before anything else looks at a request, in this order.
 *
 * S2 `Host` is exactly a loopback name with the port, or that of the public URL: a name that was rebound to this machine is refused.
 * S3 `Origin`, if sent, is our own; under `/api`, `Sec-Fetch-Site` is `same-origin` or absent.
 * S4 Every request under `/api` has the token. It is a header, not a cookie: cookies ignore ports, and agents start servers on other ports.
 * S6 A POST is `application/json`. Nothing ever gets a CORS header.
 * S10 Wrong tokens are counted, missing ones are not, and the right one is never locked out.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../../model/sha256.ts';
import type { Asked } from './request.ts';

export interface Guarded {
  readonly token: string;
  readonly port: number;
  /** The address under which other machines reach it. */
  readonly publicUrl?: URL;
}

export interface Denial {
  readonly status: number;
  readonly message: string;
}

const WRONG_TOKENS = 20;
const WRONG_WITHIN_MS = 10_000;

export class Guard {
  readonly #guarded: Guarded;
  readonly #expected: Buffer;
  #wrongAt: number[] = [];

  constructor(guarded: Guarded) {
    this.#guarded = guarded;
    this.#expected = digest(guarded.token);
  }

  /** Undefined if the request is allowed. */
  check(request: IncomingMessage, { isApi }: Pick<Asked, 'isApi'>): Denial | undefined {
    const { headers, method = '' } = request;
    const host = headers.host ?? '';
    if (!this.#origins().some((origin) => hostOf(origin) === host))
      return { status: 403, message: 'this host name is not served' };
    const { origin } = headers;
    if (origin !== undefined && !this.#origins().includes(origin))
      return { status: 403, message: 'requests from other pages are refused' };
    const site = headers['sec-fetch-site'];
    if (isApi && site !== undefined && site !== 'same-origin')
      return { status: 403, message: 'requests from other pages are refused' };
    if (!isApi) return isRead(method) ? undefined : NOT_ALLOWED;
    const denied = this.#checkToken(headers.authorization);
    if (denied !== undefined) return denied;
    if (isRead(method)) return undefined;
    if (method !== 'POST') return NOT_ALLOWED;
    return /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')
      ? undefined
      : { status: 415, message: 'send JSON, as `application/json`' };
  }

  #origins(): readonly string[] {
    const { port, publicUrl } = this.#guarded;
    const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `http://${name}:${port}`);
    return publicUrl === undefined ? own : [...own, publicUrl.origin];
  }

  #checkToken(authorization: string | undefined): Denial | undefined {
    const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
    if (given === undefined)
      return { status: 401, message: 'open the address that `orchestrate serve` printed' };
    if (timingSafeEqual(digest(given), this.#expected)) return undefined;
    const now = Date.now();
    this.#wrongAt = [...this.#wrongAt.filter((at) => now - at < WRONG_WITHIN_MS), now].slice(
      -WRONG_TOKENS - 1,
    );
    return this.#wrongAt.length > WRONG_TOKENS
      ? { status: 429, message: 'too many wrong tokens; try again in ten seconds' }
      : { status: 401, message: 'the token is wrong; open the address that `orchestrate serve` printed' };
  }
}

const NOT_ALLOWED: Denial = { status: 405, message: 'this method is not supported here' };

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, '');
}

/** Digests have one length, so that comparing takes the same time whatever is given. */
function digest(text: string): Buffer {
  return Buffer.from(sha256(text), 'hex');
}
