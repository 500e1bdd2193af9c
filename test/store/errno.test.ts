import { expect, it } from 'vitest';
import { errnoWords } from '../../src/model/describe-failure.ts';
import { errnoOf } from '../../src/store/errno.ts';

const refused = (code: string): Error => Object.assign(new Error(code), { code });

it.each(['ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'])(
  'a file that is too large for Node (%s) is reported like one that is too large for the system',
  (code) => {
    expect(errnoWords(errnoOf(refused(code)))).toBe('file too large (EFBIG)');
  },
);

it('an error that is not from the file system is a bug, and is rethrown', () => {
  const bug = refused('ERR_INVALID_ARG_TYPE');
  expect(() => errnoOf(bug)).toThrow(bug);
  expect(() => errnoOf(undefined)).toThrow();
});
