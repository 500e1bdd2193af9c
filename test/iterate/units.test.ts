import { describe, expect, it } from 'vitest';
import { splitWords } from '../../src/iterate/config/split-words.ts';
import { parseVerificationReport } from '../../src/iterate/verification/verification-report.ts';
import { logFileName } from '../../src/iterate/workspace/layout.ts';
import {
  isTodoDone,
  parseStatus,
  readTodo,
  remainingIn,
  remainingInTodo,
  withoutTime,
} from '../../src/iterate/workspace/status.ts';

describe('a status file', () => {
  it('must have a valid `complete`, and may be wrong in everything else', () => {
    expect(parseStatus('{"complete": true}')).toMatchObject({ type: 'ok', value: { complete: true } });
    const lenient = parseStatus(
      '{"complete": false, "progress": "half", "worked": "yes", "blockers": "none", "other": 1}',
    );
    expect(lenient).toMatchObject({ type: 'ok', value: { complete: false } });
    if (lenient.type === 'ok') expect(lenient.value.progress).toBeUndefined();
    for (const text of ['', '{', '[]', '{"complete": "true"}', '{"progress": {}}', 'null']) {
      expect(parseStatus(text).type, text).toBe('error');
    }
  });

  it('gives the number of items left, never below zero', () => {
    expect(remainingIn({ complete: false, progress: { completed: 35, total: 60 } } as never)).toBe(25);
    expect(remainingIn({ complete: false, progress: { completed: 9, total: 6 } } as never)).toBe(0);
    expect(remainingIn({ complete: false } as never)).toBeUndefined();
  });

  it('is equal if only its timestamp changed', () => {
    expect(withoutTime('{"complete":true,"lastUpdated":"a"}')).toBe(
      withoutTime('{"lastUpdated":"b", "complete":true}'),
    );
    expect(withoutTime('{"complete":true}')).not.toBe(withoutTime('{"complete":false}'));
  });
});

describe('TODO.md', () => {
  it.each([
    ['- [x] a\n- [X] b\n', true, 0],
    ['- [x] a\n* [ ] b\n  1. [ ] c\n', false, 2],
    ['# TODO\nEverything is COMPLETE ✅\n', false, undefined],
    ['- [x] a\n\n```\n- [ ] example\n```\n', true, 0],
    ['- [x] a\n**Remaining**: 3\n', false, 3],
    ['Remaining: 0\n', false, 0],
    ['- [x]a\n- []\n', false, undefined],
  ])('%j is done: %s, remaining: %s', (text, done, remaining) => {
    const todo = readTodo(text);
    expect(isTodoDone(todo)).toBe(done);
    expect(remainingInTodo(todo)).toBe(remaining);
  });
});

describe('a command split into words', () => {
  it.each([
    ['npm test', ['npm', 'test']],
    ["sh -c 'a && b'", ['sh', '-c', 'a && b']],
    ['echo "a \\"b\\" c" d\\ e', ['echo', 'a "b" c', 'd e']],
    ['x \'\' ""', ['x', '', '']],
    ['  a\t b ', ['a', 'b']],
    ['a\'b\'"c"d', ['abcd']],
  ])('%s', (text, words) => {
    expect(splitWords(text)).toEqual({ type: 'ok', value: words });
  });

  it.each([
    'a && b',
    'a | b',
    'a > f',
    'a; b',
    'echo $HOME',
    'echo "$HOME"',
    'echo `id`',
    "a 'b",
    'a "b',
    '',
    '  ',
  ])('refuses %j', (text) => {
    expect(splitWords(text).type).toBe('error');
  });
});

describe('a verification report', () => {
  it.each([
    ['✅ VERIFIED COMPLETE', 'pass'],
    ['✅ VERIFIED', 'pass'],
    ['❌ INCOMPLETE', 'fail'],
    ['✅ VERIFIED that a exists\n❌ INCOMPLETE', 'fail'],
    ['looks good', 'needs_review'],
    ['', 'needs_review'],
  ])('%j is %s', (text, status) => {
    expect(parseVerificationReport(text).status).toBe(status);
  });

  it('lists unmet requirements under either heading, up to the next one', () => {
    const text =
      '## Summary\n\nOne\ntwo.\n\nMore.\n\n### Requirements Not Met\n\n1. first\n2) second\n- no number\n\n### Next\n\n1. other\n';
    expect(parseVerificationReport(text)).toMatchObject({ summary: 'One two.', issues: ['first', 'second'] });
  });
});

describe('the log', () => {
  it('is named after the start time of the run', () => {
    expect(logFileName('2025-10-15T14:23:45.678Z')).toBe('iterate-20251015-142345.log');
  });
});
