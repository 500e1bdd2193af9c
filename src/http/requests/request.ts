import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Denial } from './guard.ts';

const LARGEST_BODY = 64 * 1024;

export interface Asked {
  readonly path: string;
  /** Its parts, each decoded once (S8). */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  /** Decided once, for the guard and the route: however `api` is encoded, it needs the token (S4). */
  readonly isApi: boolean;
}

/** S8: a path that cannot be decoded, or holds a control character, is refused. */
export function parseAddress(url: string): Result<Asked, Denial> {
  const [path = '/', query = ''] = url.split(/\?(.*)/s, 2);
  try {
    const parts = path.split('/').slice(1).map(decodeURIComponent);
    if (parts.some((part) => /[\x00-\x1f\x7f]/.test(part))) return malformed();
    return ok({ path, parts, query: new URLSearchParams(query), isApi: parts[0] === 'api' });
  } catch {
    return malformed();
  }
}

function malformed(): Result<never, Denial> {
  return error({ status: 400, message: 'malformed address' });
}

export async function readBody(request: IncomingMessage): Promise<Result<JsonObject, Denial>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LARGEST_BODY) return error({ status: 413, message: 'at most 64 KiB are accepted' });
    chunks.push(chunk as Buffer);
  }
  try {
    const value = parseJson(Buffer.concat(chunks).toString('utf8'));
    if (isJsonObject(value)) return ok(value);
  } catch {
    // Refused below, like JSON that is not an object.
  }
  return error({ status: 400, message: 'expected a JSON object' });
}

/** A whole number of the query, within bounds. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { or, max }: { readonly or: number; readonly max: number },
): number {
  const text = query.get(name);
  if (text === null || !/^\d{1,15}$/.test(text)) return or;
  return Math.min(Number(text), max);
}

export function textIn(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) ?? undefined;
}

/** A time of the query, in ms since 1970; an invalid one counts as omitted. */
export function timeIn(query: URLSearchParams, name: string, or: number): number {
  const at = Date.parse(query.get(name) ?? '');
  return Number.isNaN(at) ? or : at;
}
