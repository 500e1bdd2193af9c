/** Rules W1 to W7 of `git/worktree.ts` and B1 to B4 of `git/bring-in.ts`, through the effects. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createCommitWorktree,
  createDiscardWorktree,
  createMergeWorktree,
  createOpenWorktree,
} from '../../src/effects/worktree.ts';
import type { EffectContext } from '../../src/engine/durable.ts';
import { type RunProcess, runProcess } from '../../src/process/run-process.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { effectContext, putFile } from './effect-site.ts';

const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`);
const BRANCH = 'orchestrate/20260131T000000Z-abc123/Item.1';
const NAME = { name: 'Item/1' };

function withLine(number: number, text: string, lines: readonly string[] = LINES): readonly string[] {
  return lines.map((line, at) => (at === number - 1 ? text : line));
}

class Workspace {
  readonly context: EffectContext;
  readonly folder: string;

  constructor(files: { readonly [path: string]: string } = {}) {
    this.context = effectContext(temporaryFolder());
    this.folder = this.context.run.workspace;
    this.git('init', '--quiet', '--initial-branch=main');
    this.git('config', 'user.name', 'Test');
    this.git('config', 'user.email', 'test@example.com');
    this.write({
      '.gitignore': 'ignored/\n.orchestrate/\n',
      'list.txt': `${LINES.join('\n')}\n`,
      'gone.txt': 'to be removed\n',
      ...files,
    });
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'first');
  }

  git(...argv: readonly string[]): string {
    return execFileSync('git', ['-C', this.folder, ...argv], { encoding: 'utf8' });
  }

  write(files: { readonly [path: string]: string | readonly string[] }, folder = this.folder): void {
    for (const [path, text] of Object.entries(files))
      putFile(join(folder, path), typeof text === 'string' ? text : `${text.join('\n')}\n`);
  }

  read(path: string, folder = this.folder): string {
    return fs.readFileSync(join(folder, path), 'utf8');
  }

  has(path: string, folder = this.folder): boolean {
    return fs.existsSync(join(folder, path));
  }

  /** Staged, unstaged and untracked changes of a user, some in files that the work changes too. */
  makeDirty(): void {
    this.write({ 'list.txt': withLine(1, 'staged by the user') });
    this.git('add', 'list.txt');
    this.write({
      'list.txt': withLine(10, 'unstaged by the user', withLine(1, 'staged by the user')),
      'untracked.txt': 'untracked\n',
    });
  }

  /** What an agent does in its folder. */
  work(folder: string): void {
    this.write(
      {
        'list.txt': this.read('list.txt', folder).replace('line 30\n', 'work\n'),
        'new/file.txt': 'new\n',
      },
      folder,
    );
    fs.rmSync(join(folder, 'gone.txt'));
    fs.writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  }

  nothingIsLeft(): void {
    expect(this.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
    expect(this.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    const records = join(this.folder, '.git/worktrees');
    expect(fs.existsSync(records) ? fs.readdirSync(records) : []).toEqual([]);
    const folders = join(this.context.run.directory, 'worktrees');
    expect(fs.existsSync(folders) ? fs.readdirSync(folders) : []).toEqual([]);
    expect(fs.readdirSync(join(this.folder, '.git')).filter((name) => /lock|orchestrate/.test(name))).toEqual(
      [],
    );
  }
}

function effects(run: RunProcess = runProcess) {
  return {
    open: createOpenWorktree(run),
    commit: createCommitWorktree(run),
    merge: createMergeWorktree(run),
    discard: createDiscardWorktree(run),
  };
}

const { open, commit, merge, discard } = effects();

async function opened(workspace: Workspace, input = {}): Promise<string> {
  const { folder, failure } = await open({ ...NAME, ...input }, workspace.context);
  expect(failure).toBeUndefined();
  return join(workspace.folder, folder ?? '');
}

describe('a worktree', () => {
  it('has the files of the workspace as they are, and leaves them and the index alone (W1)', async () => {
    const workspace = new Workspace();
    workspace.makeDirty();
    fs.rmSync(join(workspace.folder, 'gone.txt'));
    workspace.write({ 'ignored/secret': 'x', 'ignored/deep/other': 'y' });
    const index = fs.readFileSync(join(workspace.folder, '.git/index'));
    const folder = await opened(workspace, { include: ['ignored/deep/**'] });
    expect(workspace.read('list.txt', folder)).toBe(workspace.read('list.txt'));
    expect(workspace.read('untracked.txt', folder)).toBe('untracked\n');
    expect(workspace.has('gone.txt', folder)).toBe(false);
    expect(workspace.has('ignored/secret', folder)).toBe(false);
    expect(workspace.read('ignored/deep/other', folder)).toBe('y');
    expect(execFileSync('git', ['-C', folder, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
    expect(fs.readFileSync(join(workspace.folder, '.git/index'))).toEqual(index);
    expect(workspace.git('log', '--format=%s')).toBe('first\n');
  });

  it('without `commit` is merged into the files alone: nothing is staged or committed (B4)', async () => {
    const workspace = new Workspace();
    workspace.makeDirty();
    const index = fs.readFileSync(join(workspace.folder, '.git/index'));
    workspace.work(await opened(workspace));
    expect(await commit({ ...NAME, message: 'Work' }, workspace.context)).toEqual({
      branch: BRANCH,
      files: [
        { path: 'gone.txt', change: 'deleted' },
        { path: 'list.txt', change: 'modified' },
        { path: 'new/file.txt', change: 'added' },
        { path: 'run.sh', change: 'added' },
      ],
      patch: 'diffs/Item.1-abc123.patch',
    });
    const merged = await merge(NAME, workspace.context);
    expect(merged).toEqual({ files: ['gone.txt', 'list.txt', 'new/file.txt', 'run.sh'] });
    expect(await discard(NAME, workspace.context)).toEqual({});
    expect(workspace.read('list.txt')).toBe(
      `${withLine(30, 'work', withLine(10, 'unstaged by the user', withLine(1, 'staged by the user'))).join('\n')}\n`,
    );
    expect(fs.statSync(join(workspace.folder, 'run.sh')).mode & 0o111).not.toBe(0);
    expect(fs.readFileSync(join(workspace.folder, '.git/index'))).toEqual(index);
    expect(workspace.git('status', '--porcelain')).toBe(
      ' D gone.txt\nMM list.txt\n?? new/\n?? run.sh\n?? untracked.txt\n',
    );
    expect(workspace.git('log', '--format=%s')).toBe('first\n');
    workspace.nothingIsLeft();
    expect(await merge(NAME, workspace.context)).toEqual(merged);
  });

  it('with `commit` is one commit of the work alone; staged lines stay staged, unstaged ones unstaged (B4)', async () => {
    const workspace = new Workspace();
    workspace.makeDirty();
    workspace.work(await opened(workspace));
    await commit({ ...NAME, message: 'Work' }, workspace.context);
    const words = { message: 'Work\n\nMore.', author: 'Agent <agent@example.com>' };
    const merged = await merge({ ...NAME, commit: words }, workspace.context);
    await discard(NAME, workspace.context);
    expect(merged.commit).toBe(workspace.git('rev-parse', 'HEAD').trim());
    expect(workspace.git('log', '--format=%s|%an|%cn')).toBe('Work|Agent|Test\nfirst|Test|Test\n');
    expect(workspace.git('show', '--name-status', '--format=', 'HEAD')).toBe(
      'D\tgone.txt\nM\tlist.txt\nA\tnew/file.txt\nA\trun.sh\n',
    );
    expect(workspace.git('show', 'HEAD:list.txt')).toBe(`${withLine(30, 'work').join('\n')}\n`);
    expect(workspace.git('show', ':list.txt')).toBe(
      `${withLine(30, 'work', withLine(1, 'staged by the user')).join('\n')}\n`,
    );
    expect(workspace.git('status', '--porcelain')).toBe('MM list.txt\n?? untracked.txt\n');
    workspace.nothingIsLeft();
    expect(await merge({ ...NAME, commit: words }, workspace.context)).toEqual(merged);
    expect(workspace.git('log', '--format=%s')).toBe('Work\nfirst\n');
  });

  it('whose lines others changed meanwhile is a conflict that changes nothing and keeps the branch (B1)', async () => {
    const workspace = new Workspace();
    workspace.makeDirty();
    workspace.work(await opened(workspace));
    workspace.write({ 'list.txt': withLine(30, 'of the user') });
    const before = workspace.git('status', '--porcelain');
    await commit({ ...NAME, message: 'Work' }, workspace.context);
    const failure = { type: 'conflict', files: ['list.txt'], branch: BRANCH };
    expect(await merge(NAME, workspace.context)).toEqual({ failure });
    await discard({ ...NAME, keepBranch: true }, workspace.context);
    expect(workspace.git('status', '--porcelain')).toBe(before);
    expect(workspace.read('list.txt')).toBe(`${withLine(30, 'of the user').join('\n')}\n`);
    // The branch has the work and none of the user's uncommitted lines, so that it can be merged by hand.
    expect(workspace.git('show', `${BRANCH}:list.txt`)).toBe(`${withLine(30, 'work').join('\n')}\n`);
    expect(workspace.git('log', '--format=%s', BRANCH)).toBe('Work\nfirst\n');
    // Resolved by the user, the merge can be repeated.
    workspace.write({ 'list.txt': LINES });
    expect(await merge(NAME, workspace.context)).toMatchObject({
      files: expect.arrayContaining(['list.txt']),
    });
    expect(workspace.read('list.txt')).toBe(`${withLine(30, 'work').join('\n')}\n`);
  });

  it.each([
    ['an ignored file', (workspace: Workspace) => workspace.write({ 'ignored/made': 'mine\n' })],
    [
      'a file that git assumes unchanged',
      (workspace: Workspace) => {
        workspace.git('update-index', '--assume-unchanged', 'gone.txt');
        workspace.write({ 'gone.txt': 'mine\n' });
      },
    ],
  ])('never replaces %s', async (_, prepare) => {
    const workspace = new Workspace();
    const folder = await opened(workspace);
    prepare(workspace);
    workspace.write({ 'ignored/made': 'work\n', 'gone.txt': 'work\n' }, folder);
    execFileSync('git', ['-C', folder, 'add', '--force', 'ignored/made']);
    await commit({ ...NAME, message: 'Work' }, workspace.context);
    const { failure } = await merge(NAME, workspace.context);
    expect(failure).toMatchObject({ type: 'conflict', isUncommitted: true, branch: BRANCH });
    const mine = ['ignored/made', 'gone.txt'].filter((path) => workspace.has(path));
    expect(mine.map((path) => workspace.read(path))).toContain('mine\n');
  });

  it('that failed continues later with the work that was saved (W3)', async () => {
    const workspace = new Workspace();
    workspace.makeDirty();
    workspace.work(await opened(workspace));
    await commit({ ...NAME, message: 'Unfinished' }, workspace.context);
    await discard({ ...NAME, keepBranch: true }, workspace.context);
    const folder = await opened(workspace);
    expect(workspace.read('new/file.txt', folder)).toBe('new\n');
    workspace.write({ 'new/file.txt': 'newer\n' }, folder);
    // Opening it once more changes nothing.
    expect(await opened(workspace)).toBe(folder);
    expect(workspace.read('new/file.txt', folder)).toBe('newer\n');
    await commit({ ...NAME, message: 'Work' }, workspace.context);
    await merge({ ...NAME, commit: { message: 'Work' } }, workspace.context);
    await discard(NAME, workspace.context);
    expect(workspace.read('new/file.txt')).toBe('newer\n');
    expect(workspace.git('status', '--porcelain')).toBe('MM list.txt\n?? untracked.txt\n');
    workspace.nothingIsLeft();
  });

  it('may contain commits of its own; they arrive as one', async () => {
    const workspace = new Workspace();
    const folder = await opened(workspace);
    workspace.write({ 'a.txt': 'a\n' }, folder);
    execFileSync('git', ['-C', folder, 'add', '--all']);
    execFileSync('git', ['-C', folder, 'commit', '--quiet', '--message', 'by the agent']);
    workspace.write({ 'b.txt': 'b\n' }, folder);
    await commit({ ...NAME, message: 'Work' }, workspace.context);
    expect(workspace.git('log', '--format=%s', BRANCH)).toBe('Work\nby the agent\nfirst\n');
    await merge({ ...NAME, commit: { message: 'Work' } }, workspace.context);
    expect(workspace.git('log', '--format=%s')).toBe('Work\nfirst\n');
    expect(workspace.git('status', '--porcelain')).toBe('');
  });

  it('runs no hooks (W4)', async () => {
    const workspace = new Workspace();
    const hooks = [
      'pre-commit',
      'post-checkout',
      'post-commit',
      'reference-transaction',
      'post-index-change',
    ];
    for (const hook of hooks)
      fs.writeFileSync(
        join(workspace.folder, '.git/hooks', hook),
        `#!/bin/sh\ntouch "${workspace.folder}/../ran"\n`,
        {
          mode: 0o755,
        },
      );
    workspace.work(await opened(workspace));
    await commit({ ...NAME, message: 'Work' }, workspace.context);
    await merge({ ...NAME, commit: { message: 'Work' } }, workspace.context);
    await discard(NAME, workspace.context);
    expect(workspace.has('../ran')).toBe(false);
  });

  it('works in a repository without commits, and in a folder of it', async () => {
    const context = effectContext(temporaryFolder());
    const { workspace } = context.run;
    const top = join(workspace, '..');
    const git = (...argv: readonly string[]): string =>
      execFileSync('git', ['-C', top, ...argv], { encoding: 'utf8' });
    git('init', '--quiet', '--initial-branch=main');
    putFile(join(workspace, '.orchestrate/.gitignore'), '*\n');
    putFile(join(workspace, 'mine.txt'), 'mine\n');
    const { folder = '' } = await open(NAME, context);
    expect(fs.readFileSync(join(workspace, folder, 'mine.txt'), 'utf8')).toBe('mine\n');
    putFile(join(workspace, folder, 'work.txt'), 'work\n');
    await commit({ ...NAME, message: 'Work' }, context);
    const { commit: made = '' } = await merge({ ...NAME, commit: { message: 'Work' } }, context);
    expect(git('show', '--name-only', '--format=%s', made)).toBe('Work\n\nwork/work.txt\n');
    expect(git('status', '--porcelain')).toBe('?? work/mine.txt\n');
  });

  it('without a repository fails with the words of git', async () => {
    const context = effectContext(temporaryFolder());
    const { failure } = await open(NAME, context);
    expect(failure).toMatchObject({ message: expect.stringContaining('not a git repository') });
  });

  it('of many is made and merged at the same time (W7)', async () => {
    const workspace = new Workspace();
    const names = Array.from({ length: 6 }, (_, n) => `Item/${n}`);
    await Promise.all(
      names.map(async (name, n) => {
        const { folder = '' } = await open({ name }, workspace.context);
        workspace.write({ [`${n}.txt`]: `${n}\n` }, join(workspace.folder, folder));
        await commit({ name, message: name }, workspace.context);
        await merge({ name, commit: { message: name } }, workspace.context);
        await discard({ name }, workspace.context);
      }),
    );
    expect(names.map((_, n) => workspace.read(`${n}.txt`))).toEqual(names.map((_, n) => `${n}\n`));
    expect(workspace.git('log', '--format=%s').trim().split('\n')).toHaveLength(7);
    workspace.nothingIsLeft();
  });
});

class Killed extends Error {}

/** A runner that stops everything before or after the n-th call of git. */
function killing(at: number, when: 'before' | 'after'): { readonly run: RunProcess; count(): number } {
  let calls = 0;
  const run: RunProcess = async (request) => {
    calls += 1;
    if (calls === at && when === 'before') throw new Killed();
    const end = await runProcess(request);
    if (calls === at) throw new Killed();
    return end;
  };
  return { run, count: () => calls };
}

describe.each([
  ['into the files', undefined],
  ['as a commit', { message: 'Work' }],
] as const)('a worktree merged %s', (_, words) => {
  /** Repeats what was interrupted, as a resumed run does: finished calls are not made again. */
  async function through(workspace: Workspace, run: RunProcess): Promise<void> {
    let current = effects(run);
    const again = async <Value>(call: (of: typeof current) => Promise<Value>): Promise<Value> => {
      try {
        return await call(current);
      } catch (cause) {
        if (!(cause instanceof Killed)) throw cause;
        current = effects();
        return call(current);
      }
    };
    const { folder = '' } = await again((of) => of.open(NAME, workspace.context));
    workspace.work(join(workspace.folder, folder));
    await again((of) => of.commit({ ...NAME, message: 'Work' }, workspace.context));
    const merging = { ...NAME, ...(words === undefined ? {} : { commit: words }) };
    expect((await again((of) => of.merge(merging, workspace.context))).failure).toBeUndefined();
    await again((of) => of.discard(NAME, workspace.context));
  }

  const essence = (workspace: Workspace): unknown => ({
    files: ['list.txt', 'new/file.txt', 'run.sh', 'untracked.txt'].map((path) => workspace.read(path)),
    status: workspace.git('status', '--porcelain'),
    log: workspace.git('log', '--format=%s %T'),
    staged: workspace.git('write-tree'),
  });

  it('ends the same, killed before or after a call of git (W6, B3)', { timeout: 120_000 }, async () => {
    const whole = new Workspace();
    whole.makeDirty();
    const counting = killing(0, 'before');
    await through(whole, counting.run);
    const expected = essence(whole);
    expect(counting.count()).toBeGreaterThan(30);
    // A sample: the proof suite `worktrees` kills the program at every call.
    for (let at = 1; at <= counting.count(); at += 7) {
      const when = at % 2 === 0 ? 'before' : 'after';
      const workspace = new Workspace();
      workspace.makeDirty();
      await through(workspace, killing(at, when).run);
      expect({ at, when, ...(essence(workspace) as object) }).toEqual({ at, when, ...(expected as object) });
      workspace.nothingIsLeft();
    }
  });
});
