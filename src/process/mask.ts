/**
 * Replaces secret values with `***` in a stream of bytes, however the stream is split into chunks. `secret-forms.ts` lists the ways a value
 * may be written.
 *
 * M1  The leftmost match wins; of those that start at the same byte, the longest.
 * M2  Only bytes that may still become a match are held back: never more than the longest form minus one, and none if a
 *     chunk ends in bytes no form starts with. A line reaches its reader when it is written, not when the next one is.
 */
import { createFormSearch, type FormSearch } from './form-search.ts';
import { secretForms } from './secret-forms.ts';

const STARS = Buffer.from('***');
const NOTHING = Buffer.alloc(0);

export interface Masker {
  /** The bytes that are final now. */
  push(chunk: Buffer): Buffer;
  /** The bytes held back. */
  end(): Buffer;
}

export function createMasker(secrets: readonly string[]): Masker {
  const search = searchFor(secrets);
  if (search === undefined) return { push: (chunk) => chunk, end: () => NOTHING };
  let held = NOTHING;
  return {
    push(chunk) {
      const masked = maskBytes(held.length === 0 ? chunk : Buffer.concat([held, chunk]), search, false);
      // A copy, so that a few bytes do not keep a large chunk alive.
      held = masked.held.length === 0 ? NOTHING : Buffer.from(masked.held);
      return masked.bytes;
    },
    end() {
      const rest = maskBytes(held, search, true).bytes;
      held = NOTHING;
      return rest;
    },
  };
}

export function maskText(text: string, secrets: readonly string[]): string {
  const search = searchFor(secrets);
  if (search === undefined) return text;
  const bytes = Buffer.from(text);
  if (search.next(bytes, 0) === undefined) return text;
  return maskBytes(bytes, search, true).bytes.toString();
}

/** For bytes that masking would corrupt: whether they contain a value, in UTF-16 too. */
export function holdsSecret(bytes: Buffer, secrets: readonly string[]): boolean {
  const search = searchFor(secrets);
  if (search === undefined) return false;
  if (search.next(bytes, 0) !== undefined) return true;
  return search.forms.some((form) => bytes.includes(Buffer.from(form.toString(), 'utf16le')));
}

/** A run masks with a few lists, thousands of times: the forms of a list are cached. */
const MOST_KEPT = 16;
const kept = new Map<string, FormSearch | undefined>();

function searchFor(secrets: readonly string[]): FormSearch | undefined {
  if (secrets.length === 0) return undefined;
  const key = secrets.join('\0');
  if (kept.has(key)) return kept.get(key);
  if (kept.size >= MOST_KEPT) kept.clear();
  const forms = secretForms(secrets);
  const search = forms.length === 0 ? undefined : createFormSearch(forms);
  kept.set(key, search);
  return search;
}

function maskBytes(
  bytes: Buffer,
  search: FormSearch,
  isEnd: boolean,
): { readonly bytes: Buffer; readonly held: Buffer } {
  const pieces: Buffer[] = [];
  let cursor = 0;
  let pending = isEnd ? bytes.length : search.pendingFrom(bytes, 0);
  for (;;) {
    const match = search.next(bytes, cursor);
    if (pending < cursor) pending = search.pendingFrom(bytes, cursor);
    if (match === undefined || pending <= match.at) {
      if (pending > cursor) pieces.push(bytes.subarray(cursor, pending));
      const [only] = pieces;
      const masked = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
      return { bytes: masked, held: bytes.subarray(pending) };
    }
    if (match.at > cursor) pieces.push(bytes.subarray(cursor, match.at));
    pieces.push(STARS);
    cursor = match.at + match.length;
  }
}
