import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, type OverlongLine } from '../../src/agents/split-lines.ts';

function split(chunks: readonly Buffer[], longest?: number): { lines: string[]; overlong: OverlongLine[] } {
  const lines: string[] = [];
  const overlong: OverlongLine[] = [];
  const splitter = createLineSplitter(
    {
      line: (buffer, start, end) => lines.push(buffer.toString('utf8', start, end)),
      overlong: (line) => overlong.push(line),
    },
    longest,
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, overlong };
}

function cut(bytes: Buffer, size: number): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(Buffer.from(bytes.subarray(at, at + size)));
  return chunks;
}

describe('splitting a byte stream into lines', () => {
  it.each([1, 2, 3, 5, 1000])('gives the same lines from chunks of %i bytes', (size) => {
    const text = 'one\ntwö – drei\r\n\n\n日本語\nlast without newline';
    expect(split(cut(Buffer.from(text), size)).lines).toEqual([
      'one',
      'twö – drei',
      '日本語',
      'last without newline',
    ]);
  });

  it('gives the same lines however the stream is split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 9 })),
        (texts, sizes) => {
          const lines = texts.map((text) => text.replaceAll(/[\r\n]/g, ' ')).filter((text) => text !== '');
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const chunks: Buffer[] = [];
          for (let at = 0, i = 0; at < bytes.length; i += 1) {
            const size = sizes[i % Math.max(1, sizes.length)] ?? 4;
            chunks.push(Buffer.from(bytes.subarray(at, at + size)));
            at += size;
          }
          expect(split(chunks).lines).toEqual(lines.map((line) => Buffer.from(line).toString()));
        },
      ),
    );
  });

  it('passes both ends of a line that is too long, and reads the next one', () => {
    const long = `{"type":"user"${'x'.repeat(300_000)}the end`;
    const { lines, overlong } = split(cut(Buffer.from(`${long}\n{"type":"result"}\n`), 1000), 100_000);
    expect(lines).toEqual(['{"type":"result"}']);
    expect(overlong).toHaveLength(1);
    expect(overlong[0]?.bytes).toBe(long.length);
    expect(overlong[0]?.head.toString()).toBe(long.slice(0, 65_536));
    expect(overlong[0]?.tail.toString()).toBe(long.slice(-65_536));
  });

  it('keeps a line of exactly the longest length', () => {
    const line = 'y'.repeat(1000);
    expect(split(cut(Buffer.from(`${line}\n`), 7), 1000).lines).toEqual([line]);
  });
});
