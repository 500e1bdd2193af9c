import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker, holdsSecret, maskText } from '../../src/process/mask.ts';
import { secretForms } from '../../src/process/secret-forms.ts';

function maskChunks(chunks: readonly Buffer[], secrets: readonly string[]): string {
  const masker = createMasker(secrets);
  return Buffer.concat([...chunks.map((chunk) => masker.push(chunk)), masker.end()]).toString('latin1');
}

function cut(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

/** The definition, by brute force: leftmost, then longest. */
function maskNaively(bytes: Buffer, secrets: readonly string[]): string {
  const forms = secretForms(secrets).map((form) => form.toString('latin1'));
  const text = bytes.toString('latin1');
  let masked = '';
  for (let at = 0; at < text.length; ) {
    const form = forms.find((each) => text.startsWith(each, at));
    masked += form === undefined ? text[at] : '***';
    at += form?.length ?? 1;
  }
  return masked;
}

describe('masking', () => {
  // Few letters, so that secrets overlap, repeat and are prefixes of one another.
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '"', 'é'), minLength: 0, maxLength: 8 });
  const scene = fc.record({
    secrets: fc.array(word, { maxLength: 4 }),
    words: fc.array(fc.oneof(word, fc.constant('\n')), { maxLength: 30 }),
    at: fc.array(fc.nat(), { maxLength: 20 }),
  });

  it('gives the same result however the stream is split, and matches its definition', () => {
    fc.assert(
      fc.property(scene, ({ secrets, words, at }) => {
        const bytes = Buffer.from(words.join('') + secrets.join('x') + secrets.join(''));
        const expected = maskNaively(bytes, secrets);
        expect(maskChunks([bytes], secrets)).toBe(expected);
        expect(maskChunks(cut(bytes, at), secrets)).toBe(expected);
        expect(
          maskChunks(
            [...bytes].map((byte) => Buffer.from([byte])),
            secrets,
          ),
        ).toBe(expected);
        expect(Buffer.from(maskText(bytes.toString(), secrets)).toString('latin1')).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('uses the longer of two secrets with the same prefix', () => {
    expect(maskText('token-1 token-1-more', ['token-1', 'token-1-more'])).toBe('*** ***');
  });

  it('finds a secret inside JSON and inside an address', () => {
    const secret = 'line one\n"two" & three';
    const text = `${secret} ${JSON.stringify({ secret })} https://x.test/?key=${encodeURIComponent(secret)}`;
    expect(maskText(text, [secret])).toBe('*** {"secret":"***"} https://x.test/?key=***');
  });

  it('ignores secrets that are too short', () => {
    expect(maskText('a no 123 \u00e9', ['', 'a', 'no', '123', '\u00e9'])).toBe('a no 123 \u00e9');
  });

  it('holds nothing back if a chunk ends in bytes no secret starts with', () => {
    const masker = createMasker(['hunter2-hunter2']);
    expect(masker.push(Buffer.from('{"type":"result"}\n')).toString()).toBe('{"type":"result"}\n');
    expect(masker.push(Buffer.from('so long, hunter')).toString()).toBe('so long, ');
    expect(masker.push(Buffer.from('!')).toString()).toBe('hunter!');
  });

  it('finds each of a hundred secrets, even if one is a prefix of another', () => {
    const secrets = Array.from({ length: 100 }, (_, index) => `secret-${index}`);
    const text = secrets.join('|');
    expect(maskText(text, secrets)).toBe(secrets.map(() => '***').join('|'));
  });

  it('reports whether bytes contain a secret, in UTF-16 too', () => {
    expect(holdsSecret(Buffer.from('x hunter2-hunter2', 'utf16le'), ['hunter2-hunter2'])).toBe(true);
    expect(holdsSecret(Buffer.from('x hunter1-hunter1'), ['hunter2-hunter2'])).toBe(false);
  });
});
