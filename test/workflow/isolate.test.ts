import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { repository } from './isolated-repository.ts';
import { startedSteps } from './runs.ts';

describe('`isolate` on a step', () => {
  it('runs it in its own worktree, with uncommitted files, and merges its changes into the files', async () => {
    const workspace = repository({
      'a.txt': 'a\n',
      'w.yaml': `steps:
  - name: Fix
    script: |
      cat a.txt new.txt ignored/env setup.txt
      echo work > made.txt
      pwd
    isolate: {worktree: true, include: ["ignored/*"], setup: [bash, -c, "echo set up > setup.txt"]}
    expect: {files: [made.txt], command: [test, -f, made.txt]}
  - {name: Then, command: [cat, made.txt]}
`,
    });
    workspace.write({ 'a.txt': 'mine\n', 'new.txt': 'new\n', 'ignored/env': 'env\n' });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Fix').output).toMatch(/^mine\nnew\nenv\nset up\n.*\/worktrees\/Fix-\w+\n$/);
    expect(workspace.step('Then').output).toBe('work\n');
    expect(workspace.git('status', '--porcelain')).toBe(' M a.txt\n?? made.txt\n?? new.txt\n?? setup.txt\n');
    expect(workspace.git('log', '--format=%s')).toBe('first\n');
    workspace.nothingIsLeft();
  });

  it('names the file that could not be written, not the lock under which it was', async () => {
    const workspace = repository({
      'w.yaml': 'steps:\n  - {name: Fix, command: [bash, -c, "echo work > made.txt"], isolate: worktree}\n',
    });
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const standIn = `#!/bin/sh\ncase "$*" in *checkout-index*) cat > /dev/null; exit 0 ;; esac\nexec "${real}" "$@"\n`;
    const bin = temporaryFolder();
    fs.writeFileSync(path.join(bin, 'git'), standIn, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    expect(await workspace.run(['run', 'w.yaml'], { env })).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Fix').error?.message).toMatch(/^cannot use `.*made\.txt`: no such file or folder/);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('made.txt')).toBe('work\n');
    workspace.nothingIsLeft();
  });

  it('names a lock that a killed git left on the current branch, and is merged once that is removed', async () => {
    const workspace = repository({
      'w.yaml':
        'steps:\n  - {name: Fix, command: [bash, -c, "echo work > made.txt; echo ran >> $HOME/ran"], isolate: {commit: true}}\n',
    });
    const lock = path.join(fs.realpathSync(workspace.folder), '.git/refs/heads/main.lock');
    fs.writeFileSync(lock, '');
    const home = temporaryFolder();
    const failed = await workspace.run(['run', 'w.yaml'], { env: { HOME: home } });
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(
      `git failed to move the current branch: \`${lock}\` exists; if no other git is running, remove it and resume`,
    );
    fs.rmSync(lock);
    expect(await workspace.run(['resume', 'last'], { env: { HOME: home } })).toMatchObject({ exitCode: 0 });
    expect(workspace.git('show', 'HEAD:made.txt')).toBe('work\n');
    expect(fs.readFileSync(path.join(home, 'ran'), 'utf8')).toBe('ran\n');
    workspace.nothingIsLeft();
  });

  it.each([0, 1])(
    'its folder is on the disk before it counts as made, and so is every object of git (exit code %i of `sync`)',
    async (exitCode) => {
      const workspace = repository({
        'w.yaml': 'steps:\n  - {name: Fix, command: [bash, -c, "echo work > made.txt"], isolate: worktree}\n',
      });
      const bin = temporaryFolder();
      const log = path.join(bin, 'log');
      const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
      const standIns = {
        git: `#!/bin/sh\necho "git $*" >> '${log}'\nexec '${real}' "$@"\n`,
        sync: `#!/bin/sh\necho "sync $*" >> '${log}'\nexit ${exitCode}\n`,
      };
      for (const [name, text] of Object.entries(standIns))
        fs.writeFileSync(path.join(bin, name), text, { mode: 0o755 });
      const env = { PATH: `${bin}:${process.env['PATH']}` };
      expect(await workspace.run(['run', 'w.yaml'], { env })).toMatchObject({ exitCode: 0 });
      const calls = fs.readFileSync(log, 'utf8').trimEnd().split('\n');
      const at = (words: string): number => calls.findIndex((call) => call.includes(words));
      expect([at('worktree add'), at('sync --file-system'), at('worktree unlock')]).toEqual(
        [at('worktree add'), at('sync --file-system'), at('worktree unlock')].sort((a, b) => a - b),
      );
      expect(at('sync --file-system')).toBeGreaterThan(0);
      const objects = calls.filter((call) => /^git .* (?:add|write-tree|commit-tree|update-ref) /.test(call));
      expect(objects.length).toBeGreaterThan(3);
      expect(objects.filter((call) => !call.includes('core.fsync=all'))).toEqual([]);
      expect(workspace.read('made.txt')).toBe('work\n');
    },
  );

  it('with `commit` makes one commit of the work alone', async () => {
    const workspace = repository({
      'a.txt': 'a\n',
      'w.yaml': `context: {what: the fix}
steps:
  - name: Fix
    command: [bash, -c, "echo work > made.txt"]
    isolate: {commit: {message: "Make \${context.what}", author: "Agent <agent@example.com>"}}
`,
    });
    workspace.write({ 'a.txt': 'mine\n' });
    workspace.git('add', 'a.txt');
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.git('log', '-1', '--format=%s|%an', '--name-only')).toBe(
      'Make the fix|Agent\n\nmade.txt\n',
    );
    expect(workspace.git('status', '--porcelain')).toBe('M  a.txt\n');
    workspace.nothingIsLeft();
  });

  it('that fails keeps its work on a branch, and continues with it when the run is resumed', async () => {
    const workspace = repository({
      'w.yaml': `steps:
  - name: Fix
    command: [bash, -c, "echo x >> made.txt; test -e ../../../../../ok"]
    isolate: worktree
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const branch = `orchestrate/${workspace.runs()[0]}/Fix`;
    expect(workspace.git('show', `${branch}:made.txt`)).toBe('x\n');
    expect(workspace.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    expect(workspace.has('made.txt')).toBe(false);
    workspace.write({ ok: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('made.txt')).toBe('x\nx\n');
    workspace.nothingIsLeft();
  });

  it('fails with `conflict` and can be routed: another step gets the branch and the files', async () => {
    const workspace = repository({
      'shared.txt': 'base\n',
      'w.yaml': `steps:
  - name: Fix
    command: [bash, -c, "echo theirs > shared.txt; echo mine > \\"$HOME_OF_USER/shared.txt\\""]
    isolate: worktree
    on: {failure: {goto: Resolve}}
  - {name: Never, command: ["false"], on: {always: {goto: _end}}}
  - name: Resolve
    for_each:
      items_from: steps.Fix.unmerged
      as: work
      steps:
        - name: Take
          script: |
            echo \${work.reason} \${work.files} > log
            git show \${work.branch}:shared.txt >> shared.txt
`,
    });
    const env = { HOME_OF_USER: workspace.folder };
    expect(await workspace.run(['run', 'w.yaml'], { env })).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Fix')).toMatchObject({ status: 'failed', outcome: 'conflict' });
    expect(workspace.step('Fix').error?.message).toBe(
      `merge conflict in \`shared.txt\`; the work is kept on branch \`orchestrate/${workspace.runs()[0]}/Fix\``,
    );
    expect(workspace.read('log')).toBe('conflict ["shared.txt"]\n');
    expect(workspace.read('shared.txt')).toBe('mine\ntheirs\n');
  });

  it('whose merge conflicts is merged when the run is resumed, without running again', async () => {
    const workspace = repository({
      'shared.txt': 'base\n',
      'w.yaml': `steps:
  - name: Fix
    command: [bash, -c, "echo theirs > shared.txt; echo mine > \\"$HOME_OF_USER/shared.txt\\""]
    isolate: worktree
`,
    });
    const env = { HOME_OF_USER: workspace.folder };
    expect(await workspace.run(['run', 'w.yaml'], { env })).toMatchObject({ exitCode: 1 });
    workspace.write({ 'shared.txt': 'base\n' });
    expect(await workspace.run(['resume', 'last'], { env })).toMatchObject({ exitCode: 0 });
    expect(workspace.read('shared.txt')).toBe('theirs\n');
    expect(startedSteps(workspace)).toEqual(['Fix']);
    expect(workspace.step('Fix')).toMatchObject({ status: 'completed', outcome: 'done' });
    expect(workspace.step('Fix')).not.toHaveProperty('error');
    expect((await workspace.run(['show', 'last'])).stdout).toMatch(/1 step\n\n✓ Fix {2}\S+ ms\n$/);
    workspace.nothingIsLeft();
  });

  it('with `review` waits before the merge; a rejected one is kept, and done again when resumed', async () => {
    const workspace = repository({
      'w.yaml': `steps:
  - name: Fix
    command: [bash, -c, "echo x >> made.txt"]
    isolate: {review: true}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    expect(workspace.has('made.txt')).toBe(false);
    const shown = await workspace.run(['show', 'last']);
    expect(shown.stdout).toContain('Merge the work of Fix? 1 file changed: made.txt (added)');
    const diff = await workspace.run(['diff', 'last', 'Fix']);
    expect(diff.stdout).toContain('+++ b/made.txt\n@@ -0,0 +1 @@\n+x\n');
    const reject = ['approve', 'last', 'Fix/review', '--choose', 'reject', '--comment', 'once more'];
    expect(await workspace.run(reject)).toMatchObject({ exitCode: 0 });
    const ended = await workspace.run(['resume', 'last']);
    expect(ended.exitCode).toBe(1);
    expect(workspace.step('Fix')).toMatchObject({ outcome: 'rejected' });
    expect(workspace.step('Fix').error?.message).toContain('rejected in review: once more');
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
    expect(await workspace.run(['approve', 'last', 'Fix/review', '--choose', 'accept'])).toMatchObject({
      exitCode: 0,
    });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('made.txt')).toBe('x\nx\n');
    workspace.nothingIsLeft();
  });

  it('has an empty diff if it changed nothing', async () => {
    const workspace = repository({
      'w.yaml':
        'steps:\n  - {name: Look, command: [git, status], isolate: worktree}\n  - {name: Plain, command: ["true"]}\n',
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(await workspace.run(['diff', 'last'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'no changes\n',
    });
    expect(await workspace.run(['diff', 'last', 'Look', '--json'])).toMatchObject({ stdout: '[]\n' });
    const plain = await workspace.run(['diff', 'last', 'Plain']);
    expect(plain).toMatchObject({ exitCode: 2, stdout: '' });
    expect(plain.stderr).toContain('there is no diff of `Plain`');
  });

  it('needs a git repository', async () => {
    const workspace = new Workspace({
      'w.yaml': 'steps:\n  - {name: Fix, command: ["true"], isolate: worktree}\n',
    });
    const ended = await workspace.run(['run', 'w.yaml'], {
      env: { GIT_CEILING_DIRECTORIES: workspace.folder },
    });
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('error[environment/no-repository]');
    expect(ended.stderr).toContain('git init');
    expect(workspace.runs()).toEqual([]);
  });

  it('says why a repository cannot be used: it belongs to another user, it is bare, or there is no git', async () => {
    const workspace = repository({
      'w.yaml': 'steps:\n  - {name: Fix, command: ["true"], isolate: worktree}\n',
    });
    const refused = async (env: { readonly [name: string]: string }): Promise<string> => {
      const ended = await workspace.run(['run', 'w.yaml'], { env });
      expect(ended.exitCode).toBe(2);
      return ended.stderr;
    };
    const folder = fs.realpathSync(workspace.folder);
    const others = await refused({ GIT_TEST_ASSUME_DIFFERENT_OWNER: '1', HOME: temporaryFolder() });
    expect(others).toContain(
      `step \`Fix\` works in git worktrees, but git does not use the repository \`${folder}\`, which belongs to another user`,
    );
    expect(others).toContain(`help: if you trust it: \`git config --global --add safe.directory ${folder}\``);
    expect(await refused({ PATH: temporaryFolder() })).toContain('but git was not found');
    workspace.git('config', 'core.bare', 'true');
    expect(await refused({})).toContain('but the workspace is in a git repository without working files');
    expect(workspace.runs()).toEqual([]);
  });
});

describe('what isolated work leaves in git', () => {
  const asking = {
    'w.yaml': `steps:
  - {name: Fix, command: [bash, -c, "echo x > made.txt; echo y > other.txt"], isolate: {review: true}}
`,
  };

  it('`clean` removes with the run, but a branch with work stays', async () => {
    const workspace = repository(asking);
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    const branch = `orchestrate/${workspace.runs()[0]}/Fix`;
    const cleaned = await workspace.run(['clean', '--older-than', '0m', '--status', 'waiting', '--force']);
    expect(cleaned.stderr).toContain(`note: branch \`${branch}\` was kept: its work is not merged`);
    expect(workspace.git('for-each-ref', '--format=%(refname)')).toBe(
      `refs/heads/main\nrefs/heads/${branch}\n`,
    );
    expect(workspace.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    expect(workspace.git('show', `${branch}:other.txt`)).toBe('y\n');
    expect((await workspace.run(['doctor'])).stdout).toContain(`is not merged: \`${branch}\``);
  });

  it('`doctor` finds and `clean` removes if the folder of the run was deleted', async () => {
    const workspace = repository(asking);
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    const [runId] = workspace.runs();
    workspace.remove(`.orchestrate/runs/${runId}`);
    expect((await workspace.run(['doctor'])).stdout).toContain(
      `run ${runId} was removed, but has left worktrees in git`,
    );
    expect(await workspace.run(['clean', '--force'])).toMatchObject({ exitCode: 0 });
    expect(workspace.git('for-each-ref', '--format=%(refname)')).toBe(
      `refs/heads/main\nrefs/heads/orchestrate/${runId}/Fix\n`,
    );
    expect(workspace.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    expect((await workspace.run(['doctor'])).stdout).not.toContain('was removed');
  });
});
