/**
 * Replaces secret values by `***` in a stream of bytes, however the stream is cut into chunks.
 *
 * A value is found as written, as it stands inside a JSON string, and percent-encoded. Not found: values a program has
 * transformed in another way (base64, hex, split over lines). Values of fewer than four bytes are ignored: `1` or `no` as a
 * secret would turn every log into asterisks and hide nothing.
 *
 * M1  The leftmost match wins, and of those that start at the same byte the longest.
 * M2  Only bytes that may still become a match are held back: never more than the longest form minus one, and nothing when a
 *     chunk ends in bytes no form starts with. A line reaches its reader when it is written, not when the next one is.
 */
const SHORTEST_SECRET = 4;
const STARS = Buffer.from('***');
const NOTHING = Buffer.alloc(0);

export interface Masker {
  /** The bytes that are decided now. */
  push(chunk: Buffer): Buffer;
  /** What was held back. */
  end(): Buffer;
}

export function createMasker(secrets: readonly string[]): Masker {
  const forms = secretForms(secrets);
  if (forms.length === 0) return { push: (chunk) => chunk, end: () => NOTHING };
  let held = NOTHING;
  return {
    push(chunk) {
      const masked = maskBytes(held.length === 0 ? chunk : Buffer.concat([held, chunk]), forms, false);
      // A copy: the rest of a large chunk is not kept alive for the sake of a few bytes.
      held = masked.held.length === 0 ? NOTHING : Buffer.from(masked.held);
      return masked.bytes;
    },
    end() {
      const rest = maskBytes(held, forms, true).bytes;
      held = NOTHING;
      return rest;
    },
  };
}

export function maskText(text: string, secrets: readonly string[]): string {
  const forms = secretForms(secrets);
  if (!forms.some((form) => text.includes(form.toString()))) return text;
  return maskBytes(Buffer.from(text), forms, true).bytes.toString();
}

/** For bytes that cannot be masked without being spoilt: whether a value stands in them, as UTF-16 too. */
export function holdsSecret(bytes: Buffer, secrets: readonly string[]): boolean {
  return secretForms(secrets).some(
    (form) => bytes.includes(form) || bytes.includes(Buffer.from(form.toString(), 'utf16le')),
  );
}

/** Longest first. */
function secretForms(secrets: readonly string[]): readonly Buffer[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (Buffer.byteLength(secret) < SHORTEST_SECRET) continue;
    // What a child prints is well-formed UTF-8 or bytes; a lone surrogate can appear in neither.
    const text = Buffer.from(secret).toString();
    forms.add(text);
    forms.add(JSON.stringify(text).slice(1, -1));
    forms.add(encodeURIComponent(text));
  }
  return [...forms].map((form) => Buffer.from(form)).sort((a, b) => b.length - a.length);
}

function maskBytes(
  bytes: Buffer,
  forms: readonly Buffer[],
  isEnd: boolean,
): { readonly bytes: Buffer; readonly held: Buffer } {
  const pieces: Buffer[] = [];
  const nextOf = forms.map((form) => bytes.indexOf(form));
  let cursor = 0;
  let pending = isEnd ? bytes.length : pendingFrom(bytes, forms, 0);
  for (;;) {
    const match = leftmost(bytes, forms, { nextOf, from: cursor });
    if (pending < cursor) pending = pendingFrom(bytes, forms, cursor);
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

/** M1. `nextOf` remembers where each form was found last, so that a chunk is searched once for each. */
function leftmost(
  bytes: Buffer,
  forms: readonly Buffer[],
  search: { readonly nextOf: number[]; readonly from: number },
): { readonly at: number; readonly length: number } | undefined {
  let found: { at: number; length: number } | undefined;
  for (const [index, form] of forms.entries()) {
    let at = search.nextOf[index] ?? -1;
    if (at !== -1 && at < search.from) {
      at = bytes.indexOf(form, search.from);
      search.nextOf[index] = at;
    }
    if (at !== -1 && (found === undefined || at < found.at)) found = { at, length: form.length };
  }
  return found;
}

/** M2. The first place from which the bytes up to their end are the beginning of a form. */
function pendingFrom(bytes: Buffer, forms: readonly Buffer[], from: number): number {
  const longest = forms[0]?.length ?? 0;
  for (let at = Math.max(from, bytes.length - longest + 1); at < bytes.length; at++) {
    const rest = bytes.length - at;
    for (const form of forms) {
      if (
        form[0] === bytes[at] &&
        rest < form.length &&
        form.compare(bytes, at, bytes.length, 0, rest) === 0
      ) {
        return at;
      }
    }
  }
  return bytes.length;
}
