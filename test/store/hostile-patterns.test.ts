import { describe, expect, it } from 'vitest';
import { findFiles } from '../../src/store/glob.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';

const MANY = 100_000;

function find(pattern: string): readonly string[] | string {
  const folder = temporaryFolder();
  writeFiles(folder, { 'a.txt': '', 'b.txt': '', '{': '' });
  const found = findFiles(folder, pattern);
  if (found.type === 'ok') return found.value;
  return found.error.type === 'unsafe-path' ? found.error.reason : found.error.type;
}

describe('a pattern', () => {
  it.each<[string, string, string]>([
    ['braces that are never closed', '{'.repeat(MANY), 'nests braces more than 100 deep'],
    ['braces in braces', `${'{a,'.repeat(MANY)}b${'}'.repeat(MANY)}`, 'nests braces more than 100 deep'],
    [
      'as many alternatives as it is long',
      `{${'a,'.repeat(MANY)}b}`,
      'has more than 1000 alternatives in its braces',
    ],
    ['alternatives that multiply', '{a,b}'.repeat(MANY), 'has more than 1000 alternatives in its braces'],
    [
      'long alternatives',
      `${'a'.repeat(MANY)}{b,c,d,e,f,g,h,i,j,k,l}`,
      'has alternatives of more than 1000000 characters in its braces',
    ],
    ['a name longer than any path', 'a'.repeat(MANY), 'is longer than any path: 4096 characters'],
    ['more characters than are read', '}'.repeat(10 * MANY + 1), 'is longer than 1000000 characters'],
  ])('with %s is refused quickly', (_what, pattern, reason) => {
    expect(find(pattern)).toBe(reason);
  });

  it.each<[string, string, readonly string[]]>([
    ['brackets that are never closed', `{${'['.repeat(4000)},a.txt}`, ['a.txt']],
    ['stars that cannot match', `{${'*a'.repeat(2000)},b.txt}`, ['b.txt']],
    ['many closed braces', `{${'}'.repeat(4000)},*.txt`, []],
    ['an open brace', '{', ['{']],
    ['braces in braces', '{a,{b,{c,d}}}.txt', ['a.txt', 'b.txt']],
    ['braces without a comma of their own', '{x{a,b}}', []],
  ])('with %s finds what it describes', (_what, pattern, files) => {
    expect(find(pattern)).toEqual(files);
  });
});
