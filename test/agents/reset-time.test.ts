import { describe, expect, it } from 'vitest';
import { clockTimeIn, resetTimeIn } from '../../src/agents/reset-time.ts';

const AT = '2026-11-16T00:46:40.000Z';

describe('the end of a limit in the error of a CLI', () => {
  it.each([
    ['Claude AI usage limit reached|1794790000', AT],
    ['{"error":{"type":"usage_limit_reached","resets_at":1794790000}}', AT],
    ['the limit resets at 2026-11-16T00:46:40Z', AT],
    ['the limit resets at 2026-11-16T01:46:40+01:00', AT],
    ['limited', undefined],
    ['resets at noon', undefined],
    ['error|12', undefined],
    ['a|1794790000 b', undefined],
    ['resets at 2026-99-99T00:00:00Z', undefined],
  ])('%s', (error, at) => {
    expect(resetTimeIn(error)).toBe(at);
  });

  // Times of day are in the time zone of the machine.
  const now = new Date(2026, 10, 16, 15, 30);
  it.each([
    ['You’ve hit your usage limit. Upgrade or try again at 5:26 PM.', new Date(2026, 10, 16, 17, 26, 59)],
    ['You’ve hit your usage limit. Upgrade or try again at 12:05 AM.', new Date(2026, 10, 16, 0, 5, 59)],
    ['You’ve hit your usage limit. Try again at Dec 1st, 2026 9:05 AM.', new Date(2026, 11, 1, 9, 5, 59)],
    ['You’ve hit your usage limit or try again at Dec 1st, 2026 9:05 AM.', new Date(2026, 11, 1, 9, 5, 59)],
    ['You’ve hit your usage limit or try again at Foo 1st, 2026 9:05 AM.', undefined],
    ['You’ve hit your usage limit. Try again later.', undefined],
  ])('%s', (error, at) => {
    expect(clockTimeIn(error, now)).toBe(at?.toISOString());
  });
});
