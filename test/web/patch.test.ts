/** What `git diff` prints, whatever is in the files. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePatch } from '../../web/patch.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';

/** From the first files to the second: path → contents. */
function patchOf(before: { readonly [path: string]: string }, after: typeof before): string {
  const cwd = temporaryFolder();
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' });
  git('init', '--quiet');
  writeFiles(cwd, before);
  git('add', '--all');
  for (const name of Object.keys(before)) fs.rmSync(path.join(cwd, name));
  writeFiles(cwd, after);
  git('add', '--intent-to-add', '--ignore-removal', '.');
  return git('diff', '--binary');
}

describe('the diff on the page', () => {
  it('names the files that were changed, added, removed and binary, and counts their lines', () => {
    const patch = patchOf(
      { 'changed.md': 'one\ntwo\n', 'gone.md': 'one\n', 'image.png': '\0a' },
      { 'changed.md': 'one\nthree\nfour\n', 'new b/file.md': 'new\n', 'image.png': '\0b' },
    );
    expect(parsePatch(patch).map(({ name, added, removed }) => ({ name, added, removed }))).toEqual([
      { name: 'changed.md', added: 2, removed: 1 },
      { name: 'gone.md (deleted)', added: 0, removed: 1 },
      { name: 'image.png', added: 0, removed: 0 },
      { name: 'new b/file.md', added: 1, removed: 0 },
    ]);
  });

  it('is not misled by lines that look like the start of another file', () => {
    const patch = patchOf(
      { 'notes.sql': '-- a/other.sql\n' },
      { 'notes.sql': '++ /dev/null\n++ b/third.sql\nx\u2028diff --git a/forged b/forged\n' },
    );
    const files = parsePatch(patch);
    expect(files.map(({ name }) => name)).toEqual(['notes.sql']);
    expect(files[0]).toMatchObject({ added: 3, removed: 1 });
  });
});
