import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFiles } from '../../src/store/glob.ts';
import { matchesPattern } from '../../src/store/glob-pattern.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const folder = folderForEach();

function put(...paths: readonly string[]): void {
  for (const path of paths) {
    const absolute = join(folder.path, path);
    fs.mkdirSync(dirname(absolute), { recursive: true });
    fs.writeFileSync(absolute, '');
  }
}

function find(pattern: string, limit?: number): readonly string[] {
  const found = findFiles(folder.path, pattern, limit === undefined ? {} : { limit });
  if (found.type === 'error') throw new Error(JSON.stringify(found.error));
  return found.value;
}

describe('a pattern', () => {
  it.each([
    ['*', ['a.ts', 'b.md']],
    ['*.ts', ['a.ts']],
    ['?.md', ['b.md']],
    ['[ab].*', ['a.ts', 'b.md']],
    ['[!a].*', ['b.md']],
    ['[^a].*', ['b.md']],
    ['[a-b].{ts,md}', ['a.ts', 'b.md']],
    ['src/*', ['src/index.ts']],
    ['src/**', ['src/deep/er/x.ts', 'src/deep/y.ts', 'src/index.ts']],
    ['src/**/*.ts', ['src/deep/er/x.ts', 'src/deep/y.ts', 'src/index.ts']],
    ['**/y.ts', ['src/deep/y.ts']],
    ['**/deep/**/x.ts', ['src/deep/er/x.ts']],
    ['src/*/*.ts', ['src/deep/y.ts']],
    ['{src/index,a}.ts', ['a.ts', 'src/index.ts']],
    ['{src/{deep/y,index},none}.ts', ['src/deep/y.ts', 'src/index.ts']],
    ['./src//index.ts', ['src/index.ts']],
    ['src/index.ts', ['src/index.ts']],
    ['src', []],
    ['nowhere/**', []],
    ['a.ts/*', []],
    ['A.ts', []],
  ])('%s finds what it describes', (pattern, expected) => {
    put('a.ts', 'b.md', 'src/index.ts', 'src/deep/y.ts', 'src/deep/er/x.ts', '.hidden', '.dots/in.ts');
    expect(find(pattern)).toEqual(expected);
  });

  it('finds names that start with a dot only if it starts with one', () => {
    put('.env', '.env.local', 'x/.env', '.config/a.json', 'env');
    expect(find('*')).toEqual(['env']);
    expect(find('.*')).toEqual(['.env', '.env.local']);
    expect(find('**/.env')).toEqual(['.env', 'x/.env']);
    expect(find('?env')).toEqual([]);
    expect(find('[.]env')).toEqual([]);
    expect(find('**/*.json')).toEqual([]);
    expect(find('.config/*.json')).toEqual(['.config/a.json']);
  });

  it('treats a character after a backslash, a lone brace and an open bracket literally', () => {
    put('*', 'a', '{a}', '{a', '[a', 'a,b');
    expect(find('\\*')).toEqual(['*']);
    expect(find('{a}')).toEqual(['{a}']);
    expect(find('{a')).toEqual(['{a']);
    expect(find('[a')).toEqual(['[a']);
    expect(find('a\\,b')).toEqual(['a,b']);
  });

  it('is not slowed down by many stars', () => {
    put('a'.repeat(200));
    expect(find(`${'a*'.repeat(40)}b`)).toEqual([]);
    expect(find(`${'*a'.repeat(40)}*`)).toEqual(['a'.repeat(200)]);
  });

  it('is not slowed down by many double stars', () => {
    put(`${'d/'.repeat(60)}file`);
    expect(find(`${'**/d/'.repeat(12)}**/file`)).toEqual([`${'d/'.repeat(60)}file`]);
    expect(find(`${'**/'.repeat(200)}nothing`)).toEqual([]);
  });

  it.each([
    ['/etc/passwd', 'is absolute; it must be relative to the workspace'],
    ['{/etc,src}/*', 'is absolute; it must be relative to the workspace'],
    ['C:\\x', 'is absolute; it must be relative to the workspace'],
    ['../*', 'contains `..`; it must stay inside the workspace'],
    ['src/{.,..}/../*', 'contains `..`; it must stay inside the workspace'],
    ['\\.\\./*', 'contains `..`; it must stay inside the workspace'],
    ['{.,}./*', 'contains `..`; it must stay inside the workspace'],
    ['a\0b', 'contains a NUL character'],
    ['', 'is empty'],
    ['{a,b}'.repeat(12), 'has more than 1000 alternatives in its braces'],
  ])('%j is refused', (pattern, reason) => {
    expect(findFiles(folder.path, pattern)).toEqual({
      type: 'error',
      error: { type: 'unsafe-path', path: pattern, reason },
    });
  });
});

describe('the files found', () => {
  it('are sorted by their bytes', () => {
    put('a/b', 'a-b', 'a.b', 'B', 'ä', 'z', '\uffee', '😀');
    expect(find('**')).toEqual(['B', 'a-b', 'a.b', 'a/b', 'z', 'ä', '\uffee', '😀']);
  });

  it('are regular files only', () => {
    put('file');
    fs.mkdirSync(join(folder.path, 'folder'));
    fs.symlinkSync('nowhere', join(folder.path, 'dangling'));
    expect(find('*')).toEqual(['file']);
  });

  it('include those behind links that stay inside, but not behind links that leave', () => {
    put('work/real/x.txt', 'outside/secret.txt', 'work-too/y.txt');
    const workspace = join(folder.path, 'work');
    fs.symlinkSync('real', join(workspace, 'alias'));
    fs.symlinkSync('real/x.txt', join(workspace, 'x-alias.txt'));
    fs.symlinkSync('../outside', join(workspace, 'out'));
    fs.symlinkSync('../outside/secret.txt', join(workspace, 'secret.txt'));
    fs.symlinkSync('../work-too', join(workspace, 'neighbour'));
    fs.symlinkSync('..', join(workspace, 'real', 'up'));
    const all = (pattern: string) => findFiles(workspace, pattern);
    expect(all('*/*.txt')).toEqual({ type: 'ok', value: ['alias/x.txt', 'real/x.txt'] });
    expect(all('out/secret.txt')).toEqual({ type: 'ok', value: [] });
    expect(all('neighbour/*')).toEqual({ type: 'ok', value: [] });
    expect(all('real/up/../x')).toMatchObject({ type: 'error' });
    expect(all('**')).toEqual({ type: 'ok', value: ['real/x.txt', 'x-alias.txt'] });
  });

  it('include node_modules, .git and .orchestrate only if the pattern spells out the name', () => {
    put('node_modules/m/i.js', '.git/config', '.orchestrate/x', 'src/node_modules/n/i.js', 'src/i.js');
    expect(find('**/*.js')).toEqual(['src/i.js']);
    expect(find('*/m/*.js')).toEqual([]);
    expect(find('node_modules/*/*.js')).toEqual(['node_modules/m/i.js']);
    expect(find('**/node_modules/**/i.js')).toEqual(['node_modules/m/i.js', 'src/node_modules/n/i.js']);
    expect(find('.*/*')).toEqual([]);
    expect(find('.git/*')).toEqual(['.git/config']);
  });

  it('are at most as many as the limit', () => {
    put('a/1', 'a/2', 'b/1', 'c');
    expect(find('**', 1)).toHaveLength(1);
    expect(find('{a,b}/1', 1)).toHaveLength(1);
    expect(find('**', 10)).toHaveLength(4);
  });
});

it('does not read folders the pattern cannot reach', () => {
  put('src/a.ts', 'other/b.ts', 'src/deep/c.ts');
  const read: string[] = [];
  const original = fs.readdirSync;
  Object.assign(fs, {
    readdirSync: (path: string, options: object) => {
      read.push(path.slice(folder.path.length));
      return original(path, options);
    },
  });
  try {
    find('src/*.ts');
    find('src/a.ts');
  } finally {
    Object.assign(fs, { readdirSync: original });
  }
  expect(read).toEqual(['/src']);
});

it.each([
  ['inbox/*/replies/*.task', ['', 'inbox', 'inbox/qa']],
  ['inbox/qa/deep/er/x.task', ['', 'inbox', 'inbox/qa']],
  ['x.task', ['']],
  ['{inbox,outbox}/**', ['', 'inbox', 'inbox/qa', 'outbox']],
])('%s reports the folders in which a match can appear', (pattern, expected) => {
  put('inbox/qa/a', 'outbox/b', 'other/c');
  const folders: string[] = [];
  findFiles(folder.path, pattern, { onFolder: (each) => folders.push(each) });
  expect(folders.sort()).toEqual(expected);
});

it('decides from a path alone whether a pattern matches it', () => {
  put(
    'a.ts',
    'b.md',
    'src/index.ts',
    'src/deep/y.ts',
    'src/deep/er/x.ts',
    '.hidden',
    '.dots/in.ts',
    'src/.x/y.ts',
  );
  const all = [...new Set(['**', '**/.*', '.*/**', '**/.*/**'].flatMap((pattern) => find(pattern)))];
  expect(all).toHaveLength(8);
  const patterns = [
    '*',
    '**',
    'src/**',
    '**/*.ts',
    '**/y.ts',
    'src/*/*.ts',
    '{a,src/index}.ts',
    '.*',
    '**/.*/*',
    'src',
  ];
  for (const pattern of patterns) {
    expect(all.filter((path) => matchesPattern(pattern, path)).sort()).toEqual(find(pattern));
  }
  expect(matchesPattern('src/**', 'src')).toBe(false);
  expect(matchesPattern('../*', '../x')).toBe(false);
  expect(matchesPattern(`${'**/a/'.repeat(20)}b`, `${'a/'.repeat(200)}c`)).toBe(false);
});
