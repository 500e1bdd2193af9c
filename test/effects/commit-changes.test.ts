import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommitChanges } from '../../src/effects/commit-changes.ts';
import { createSnapshotTree } from '../../src/effects/snapshot-tree.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { effectContext, putFile } from './effect-site.ts';

const commit = createCommitChanges(runProcess);
const snapshot = createSnapshotTree(runProcess);

async function repository(before: (workspace: string) => void = () => {}) {
  const context = effectContext(temporaryFolder());
  const { workspace } = context.run;
  const git = (...argv: readonly string[]): string =>
    execFileSync('git', ['-C', workspace, ...argv], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  git('init', '--quiet');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  putFile(join(workspace, '.gitignore'), '.orchestrate\n');
  putFile(join(workspace, 'old.txt'), 'old\n');
  putFile(join(workspace, 'sub/kept.txt'), 'one\n');
  putFile(join(workspace, 'list.txt'), '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  before(workspace);
  const { tree = '' } = await snapshot({ except: [] }, context);
  return { context, workspace, git, since: tree };
}

describe('committing changes', () => {
  it('twice is one commit, even if another one was made in between', async () => {
    const { context, workspace, git, since } = await repository();
    fs.rmSync(join(workspace, 'old.txt'));
    putFile(join(workspace, 'new.txt'), 'new\n');
    const input = { message: 'second', since };
    const first = await commit(input, context);
    expect(first).toEqual({ commit: git('rev-parse', 'HEAD').trim() });
    expect(git('show', '--no-renames', '--name-status', '--format=%s', 'HEAD')).toBe(
      'second\n\nA\tnew.txt\nD\told.txt\n',
    );
    git('commit', '--quiet', '--allow-empty', '--message', 'third');
    expect(await commit(input, context)).toEqual(first);
    expect(git('log', '--format=%s')).toBe('third\nsecond\nfirst\n');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('leaves lines that the user had not committed as they are, staged or not', async () => {
    const { context, workspace, git, since } = await repository((folder) => {
      putFile(join(folder, 'list.txt'), 'mine\n2\n3\n4\n5\n6\n7\n8\n9\n');
      execFileSync('git', ['-C', folder, 'add', 'list.txt']);
      putFile(join(folder, 'list.txt'), 'mine\n2\n3\n4\nunstaged\n6\n7\n8\n9\n');
      putFile(join(folder, 'untracked.txt'), 'mine too\n');
    });
    putFile(join(workspace, 'list.txt'), 'mine\n2\n3\n4\nunstaged\n6\n7\n8\nwork\n');
    await commit({ message: 'second', since }, context);
    expect(git('show', 'HEAD:list.txt')).toBe('1\n2\n3\n4\n5\n6\n7\n8\nwork\n');
    expect(git('show', ':list.txt')).toBe('mine\n2\n3\n4\n5\n6\n7\n8\nwork\n');
    expect(fs.readFileSync(join(workspace, 'list.txt'), 'utf8')).toBe(
      'mine\n2\n3\n4\nunstaged\n6\n7\n8\nwork\n',
    );
    expect(git('status', '--porcelain')).toBe('MM list.txt\n?? untracked.txt\n');
  });

  it('leaves a file uncommitted that cannot be committed without lines of the user, and says so', async () => {
    const { context, workspace, git, since } = await repository((folder) =>
      putFile(join(folder, 'old.txt'), 'mine\n'),
    );
    putFile(join(workspace, 'old.txt'), 'mine, changed\n');
    putFile(join(workspace, 'new.txt'), 'new\n');
    const made = await commit({ message: 'second', since }, context);
    expect(made).toEqual({ commit: git('rev-parse', 'HEAD').trim(), left: ['old.txt'] });
    expect(git('show', '--name-status', '--format=%s', 'HEAD')).toBe('second\n\nA\tnew.txt\n');
    expect(git('status', '--porcelain')).toBe(' M old.txt\n');
    expect(await commit({ message: 'second', since }, context)).toEqual(made);
  });

  it('of named files leaves the others uncommitted', async () => {
    const { context, workspace, git, since } = await repository();
    putFile(join(workspace, 'sub/kept.txt'), 'two\n');
    putFile(join(workspace, 'old.txt'), 'of another task\n');
    const input = { message: 'second', cwd: 'sub', files: ['kept.txt', 'never known.txt'], since };
    expect(await commit(input, context)).toEqual({ commit: git('rev-parse', 'HEAD').trim() });
    expect(git('show', '--name-status', '--format=%s', 'HEAD')).toBe('second\n\nM\tsub/kept.txt\n');
    const nothing = { message: 'third', files: ['never known.txt'], since };
    expect(await commit(nothing, effectContext(join(workspace, '..'), { key: 'Other' }))).toEqual({});
    expect(git('log', '--format=%s')).toBe('second\nfirst\n');
    expect(git('status', '--porcelain')).toBe(' M old.txt\n');
  });

  it('accepts more files than fit on a command line, with any characters in their names', async () => {
    const { context, workspace, git, since } = await repository();
    const deep = Array.from({ length: 13 }, (_, n) => `*[x] "${n}${'y'.repeat(230)}`).join('/');
    const files = Array.from({ length: 800 }, (_, n) => `${deep}/${n}`);
    fs.mkdirSync(join(workspace, deep), { recursive: true });
    for (const file of files) fs.writeFileSync(join(workspace, file), '');
    await commit({ message: 'second', files, since }, context);
    expect(git('show', '-z', '--name-only', '--format=', 'HEAD').split('\0').filter(Boolean)).toEqual(
      [...files].sort(),
    );
  });

  it('works in a repository without commits', async () => {
    const context = effectContext(temporaryFolder());
    const { workspace } = context.run;
    execFileSync('git', ['-C', workspace, 'init', '--quiet']);
    putFile(join(workspace, 'mine.txt'), 'mine\n');
    const { tree: since = '' } = await snapshot({ except: ['.orchestrate'] }, context);
    putFile(join(workspace, 'work.txt'), 'work\n');
    const { commit: made = '' } = await commit({ message: 'first', since }, context);
    expect(
      execFileSync('git', ['-C', workspace, 'show', '--name-only', '--format=%an', made], {
        encoding: 'utf8',
      }),
    ).toBe('orchestrate\n\nwork.txt\n');
  });
});
