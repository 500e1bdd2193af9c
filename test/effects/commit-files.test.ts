import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommitFiles } from '../../src/effects/commit-files.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { effectContext, putFile } from './effect-site.ts';

const commit = createCommitFiles(runProcess);

function repository() {
  const context = effectContext(temporaryFolder());
  const { workspace } = context.run;
  const git = (...argv: readonly string[]): string =>
    execFileSync('git', ['-C', workspace, ...argv], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  git('init', '--quiet');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  putFile(join(workspace, 'old.txt'), 'old\n');
  putFile(join(workspace, 'sub/kept.txt'), 'one\n');
  git('add', '.', ':(exclude).orchestrate');
  git('commit', '--quiet', '--message', 'first');
  return { context, workspace, git };
}

describe('committing files', () => {
  it('twice is harmless, even if one was removed', async () => {
    const { context, workspace, git } = repository();
    fs.rmSync(join(workspace, 'old.txt'));
    putFile(join(workspace, 'new.txt'), 'new\n');
    const input = { message: 'second', files: ['old.txt', 'new.txt'] };
    const first = await commit(input, context);
    expect(first).toEqual({ commit: git('rev-parse', 'HEAD').trim() });
    expect(await commit(input, context)).toEqual(first);
    expect(git('show', '--no-renames', '--name-status', '--format=%s', 'HEAD')).toBe(
      'second\n\nA\tnew.txt\nD\told.txt\n',
    );
  });

  it('again, after another commit, returns its own commit', async () => {
    const { context, workspace, git } = repository();
    putFile(join(workspace, 'old.txt'), 'new\n');
    const input = { message: 'second', files: ['old.txt'] };
    const first = await commit(input, context);
    git('commit', '--quiet', '--allow-empty', '--message', 'third');
    expect(await commit(input, context)).toEqual(first);
  });

  it('continues after an interruption with a removal already staged', async () => {
    const { context, git } = repository();
    git('rm', '--quiet', 'old.txt');
    await commit({ message: 'second', files: ['old.txt'] }, context);
    expect(git('show', '--name-status', '--format=%s', 'HEAD')).toBe('second\n\nD\told.txt\n');
  });

  it('skips a file that git never knew and that no longer exists', async () => {
    const { context, workspace, git } = repository();
    putFile(join(workspace, 'sub/kept.txt'), 'two\n');
    const input = { message: 'second', cwd: 'sub', files: ['kept.txt', 'never known.txt'] };
    expect(await commit(input, context)).toEqual({ commit: git('rev-parse', 'HEAD').trim() });
    expect(git('show', '--name-status', '--format=%s', 'HEAD')).toBe('second\n\nM\tsub/kept.txt\n');
    const only = { message: 'third', files: ['never known.txt'] };
    expect(await commit(only, context)).toEqual({ commit: git('rev-parse', 'HEAD').trim() });
    expect(git('log', '--format=%s')).toBe('second\nfirst\n');
  });

  it('accepts more files than fit on a command line, with any characters in their names', async () => {
    const { context, workspace, git } = repository();
    const deep = Array.from({ length: 13 }, (_, n) => `*[x] "${n}${'y'.repeat(230)}`).join('/');
    const files = Array.from({ length: 800 }, (_, n) => `${deep}/${n}`);
    fs.mkdirSync(join(workspace, deep), { recursive: true });
    for (const file of files) fs.writeFileSync(join(workspace, file), '');
    await commit({ message: 'second', files }, context);
    expect(git('show', '-z', '--name-only', '--format=', 'HEAD').split('\0').filter(Boolean)).toEqual(
      [...files].sort(),
    );
  });
});
