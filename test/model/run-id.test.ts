import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRunId, parseRunId } from '../../src/model/ids.ts';

describe('run ids', () => {
  it('sort in the order the runs were started, also within one second', () => {
    const start = Date.UTC(2026, 0, 31, 23, 59, 58, 990);
    const ids = Array.from({ length: 1200 }, (_, ms) => createRunId(new Date(start + ms), randomBytes(4)));
    expect(ids.toSorted()).toEqual(ids);
  });

  it('have the one form that becomes a folder', () => {
    const id = createRunId(new Date(Date.UTC(2026, 0, 31, 23, 59, 59, 999)), Buffer.from([0, 35, 36, 255]));
    expect(id).toBe('20260131T235959Z-rra9ad');
    expect(parseRunId(id)).toBe(id);
  });
});
