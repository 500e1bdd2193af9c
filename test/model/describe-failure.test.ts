import { expect, it } from 'vitest';
import { describeFailure } from '../../src/model/describe-failure.ts';

it.each([
  [{ wanted: 1, found: 0 }, 'no file that matches `in/*.txt` came within 2 s'],
  [{ wanted: 3, found: 1 }, 'within 2 s 1 of 3 files came that match `in/*.txt`'],
])('files that were waited for in vain are named: %j', (count, words) => {
  const waitedFor = { glob: 'in/*.txt', ...count };
  expect(describeFailure({ type: 'timed-out', afterMs: 2000, waitedFor })).toBe(words);
});
