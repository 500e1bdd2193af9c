import { expect, it } from 'vitest';
import { describeFailure } from '../../src/model/describe-failure.ts';

it.each([
  [{ wanted: 1, found: 0 }, 'no file matched `in/*.txt` within 2 s'],
  [{ wanted: 3, found: 1 }, 'only 1 of 3 files matched `in/*.txt` within 2 s'],
])('names the files that did not appear: %j', (count, words) => {
  const waitedFor = { glob: 'in/*.txt', ...count };
  expect(describeFailure({ type: 'timed-out', afterMs: 2000, waitedFor })).toBe(words);
});

it.each([
  [20, '20 ms'],
  [300, '0.3 s'],
  [90_000, '90 s'],
  [150_000, '2 min 30 s'],
  [3_600_000, '60 min'],
])('shows a limit of %d ms as it was set: %s', (afterMs, words) => {
  expect(describeFailure({ type: 'timed-out', afterMs })).toBe(`timed out after ${words}`);
});

it('uses the singular for one', () => {
  expect(describeFailure({ type: 'exhausted', iterations: 1 })).toBe(
    'the condition was still false after 1 iteration',
  );
  expect(describeFailure({ type: 'too-many-visits', step: 'Fix', limit: 1 })).toContain('more than 1 time;');
});

it('names the first of many failed items of a loop and counts the others', () => {
  const causes = Array.from({ length: 1000 }, (_, index) => ({ branch: `Loop/${index}`, message: 'no' }));
  expect(describeFailure({ type: 'branches-failed', causes: causes.slice(0, 5) })).not.toContain('more');
  expect(describeFailure({ type: 'branches-failed', causes })).toBe(
    'branch `Loop/0`: no; branch `Loop/1`: no; branch `Loop/2`: no; branch `Loop/3`: no; branch `Loop/4`: no; and 995 more',
  );
});
