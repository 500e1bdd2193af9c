import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRunId, parseRunId, type RunId, timeAfter } from '../../src/model/ids.ts';

describe('run ids', () => {
  it('sort in start order, even within one second', () => {
    const start = Date.UTC(2026, 0, 31, 23, 59, 58, 990);
    const ids = Array.from({ length: 1200 }, (_, ms) => createRunId(new Date(start + ms), randomBytes(4)));
    expect(ids.toSorted()).toEqual(ids);
  });

  it('have the only form that becomes a folder', () => {
    const id = createRunId(new Date(Date.UTC(2026, 0, 31, 23, 59, 59, 999)), Buffer.from([0, 35, 36, 255]));
    expect(id).toBe('20260131T235959Z-rra9ad');
    expect(parseRunId(id)).toBe(id);
  });

  it.each([
    '20260131T235959Z-00zzzz',
    '20260131T235959Z-rrzzzz',
    '20261231T235959Z-zzzzzz',
    '20280229T000000Z-a0aaaa',
  ])('%s can be followed by another at once', (id) => {
    const next = createRunId(timeAfter(id as RunId), Buffer.from([0, 0, 0, 0]));
    expect(next > id).toBe(true);
    expect(
      timeAfter(id as RunId).getTime() -
        Date.parse(id.replace(/(....)(..)(..T..)(..)(..Z)-.*/, '$1-$2-$3:$4:$5')),
    ).toBeLessThanOrEqual(1000);
  });
});
