/** Work that git cannot see, or not merge. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Workspace } from '../rig/orchestrate.ts';
import { repository } from './isolated-repository.ts';
import { startedSteps } from './runs.ts';

/** The worktree of the newest run's step `Fix`. */
function worktreeOf(workspace: Workspace): string {
  const runs = path.join(fs.realpathSync(workspace.folder), '.orchestrate', 'runs');
  const worktrees = path.join(runs, workspace.runs().at(-1) ?? '', 'worktrees');
  return path.join(worktrees, fs.readdirSync(worktrees)[0] ?? '');
}

function inWorktree(script: string, isolate = 'worktree'): string {
  return `steps:\n  - name: Fix\n    script: |\n${script.replace(/^/gm, '      ')}\n    isolate: ${isolate}\n`;
}

const IDENTITY = '-c user.name=Agent -c user.email=agent@example.com';

describe('isolated work', () => {
  it.each([
    ['removes', 'rm .git'],
    ['replaces', 'rm .git; echo "gitdir: nowhere" > .git'],
  ])('is merged although it %s the file that makes its folder a worktree', async (_, script) => {
    const workspace = repository({ 'w.yaml': inWorktree(`${script}\necho work > made.txt`) });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('made.txt')).toBe('work\n');
    workspace.nothingIsLeft();
  });

  it('that starts a repository of its own in place of its worktree is kept', async () => {
    const workspace = repository({
      'w.yaml': inWorktree('rm .git\ngit init --quiet\necho work > made.txt'),
    });
    const failed = await workspace.run(['run', 'w.yaml']);
    expect(failed.exitCode).toBe(1);
    const folder = worktreeOf(workspace);
    expect(failed.stderr).toContain('the work cannot be merged: it is a git repository of its own.');
    expect(failed.stderr).toContain(`Everything is still in \`${folder}\`: remove \`.git\` there`);
    fs.rmSync(path.join(folder, '.git'), { recursive: true });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('made.txt')).toBe('work\n');
    workspace.nothingIsLeft();
  });

  it.each([
    ['without a commit', ''],
    ['with a commit', `git add --all\ngit ${IDENTITY} commit --quiet --message made`],
  ])('that makes a git repository of its own is kept until it can be merged (%s)', async (_, commit) => {
    const workspace = repository({
      'w.yaml': inWorktree(`mkdir app && cd app\ngit init --quiet\necho work > made.txt\n${commit}`),
    });
    const failed = await workspace.run(['run', 'w.yaml']);
    expect(failed.exitCode).toBe(1);
    const folder = worktreeOf(workspace);
    expect(failed.stderr).toContain(
      `the work in \`app\` cannot be merged: it is a git repository of its own. Everything is still in \`${folder}\`: remove \`app/.git\` there`,
    );
    expect(fs.readFileSync(path.join(folder, 'app/made.txt'), 'utf8')).toBe('work\n');
    fs.rmSync(path.join(folder, 'app/.git'), { recursive: true });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('app/made.txt')).toBe('work\n');
    expect(startedSteps(workspace)).toEqual(['Fix']);
    workspace.nothingIsLeft();
  });

  it('that failed and has a repository of its own continues in the same folder, and `clean` leaves it', async () => {
    const workspace = repository({
      'w.yaml': inWorktree('test -d app && exit 0\ngit init --quiet app\necho work > app/made.txt\nexit 1'),
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const folder = worktreeOf(workspace);
    await workspace.run(['clean', '--older-than', '0m', '--force']);
    expect(fs.readFileSync(path.join(folder, 'app/made.txt'), 'utf8')).toBe('work\n');
    fs.rmSync(path.join(folder, 'app/.git'), { recursive: true });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('app/made.txt')).toBe('work\n');
    workspace.nothingIsLeft();
  });

  it.each([
    [
      'that was checked out',
      '{setup: [git, -c, protocol.file.allow=always, submodule, --quiet, update, --init]}',
    ],
    ['that was not checked out', 'worktree'],
  ])('in a submodule %s is kept; without work in it, it is merged', async (_, isolate) => {
    const library = repository({ 'lib.txt': 'lib\n' });
    const workspace = repository({ 'w.yaml': inWorktree('echo work > sub/made.txt', isolate) });
    workspace.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.folder, 'sub');
    workspace.git('commit', '--quiet', '--message', 'sub');
    const failed = await workspace.run(['run', 'w.yaml']);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain('the work in `sub` cannot be merged: it is in a submodule');
    expect(fs.readFileSync(path.join(worktreeOf(workspace), 'sub/made.txt'), 'utf8')).toBe('work\n');
    workspace.write({ 'w.yaml': inWorktree('echo work > made.txt', isolate) });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('made.txt')).toBe('work\n');
  });

  it('in a folder that git ignores does not start: it could not be merged', async () => {
    const around = repository({ '.gitignore': 'inside/\n' });
    around.write({ 'inside/w.yaml': inWorktree('echo work > made.txt') });
    const inside = path.join(around.folder, 'inside');
    const failed = await around.run(['-C', inside, 'run', 'w.yaml']);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/git ignores the folder `.*inside`, which is in the repository `.*`/);
    around.git('init', '--quiet', inside);
    expect(await around.run(['-C', inside, 'run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(fs.readFileSync(path.join(inside, 'made.txt'), 'utf8')).toBe('work\n');
  });

  it('that makes a file where the workspace has an empty folder, or had one with files, is merged', async () => {
    const workspace = repository({
      'lib/a.txt': 'a\n',
      'w.yaml': inWorktree('rm -r lib\necho work > lib\necho work > empty'),
    });
    fs.mkdirSync(path.join(workspace.folder, 'empty'));
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect([workspace.read('lib'), workspace.read('empty')]).toEqual(['work\n', 'work\n']);
    workspace.nothingIsLeft();
  });

  it('starts from files with line ends that `core.safecrlf` refuses to commit, which stay as they are', async () => {
    const workspace = repository({ 'w.yaml': inWorktree('echo work > made.txt') });
    workspace.git('config', 'core.autocrlf', 'input');
    workspace.git('config', 'core.safecrlf', 'true');
    workspace.write({ 'mine.txt': 'one\r\ntwo\r\n' });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect([workspace.read('made.txt'), workspace.read('mine.txt')]).toEqual(['work\n', 'one\r\ntwo\r\n']);
    workspace.nothingIsLeft();
  });
});
