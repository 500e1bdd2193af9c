import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadBuffer, TailRing } from '../../src/process/stream-ends.ts';

describe('the ends of a stream', () => {
  it('are its first and last bytes, however it was split', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
    fc.assert(
      fc.property(chunks, fc.nat({ max: 40 }), (pieces, limit) => {
        const head = new HeadBuffer(limit);
        const tail = new TailRing(limit);
        for (const piece of pieces) {
          head.push(Buffer.from(piece));
          tail.push(Buffer.from(piece));
        }
        const whole = Buffer.concat(pieces);
        expect(head.bytes()).toEqual(whole.subarray(0, limit));
        expect(tail.bytes()).toEqual(limit === 0 ? Buffer.alloc(0) : whole.subarray(-limit));
      }),
    );
  });
});
