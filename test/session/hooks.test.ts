import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project, status } from '../iterate/rig.ts';
import { SessionWorkspace, task } from './rig.ts';

/** Installs every git hook and an fsmonitor program; each writes its name to `ran`. Also used as an agent's behaviour. */
function plantHooks(disk: typeof fs, repository: string, ran: string): void {
  const hooks = [
    ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-checkout', 'pre-merge-commit'],
    ...['post-merge', 'reference-transaction', 'post-index-change', 'post-rewrite', 'pre-auto-gc'],
  ];
  const plant = (file: string, name: string): void =>
    disk.writeFileSync(`${repository}/${file}`, `#!/bin/sh\necho ${name} >> '${ran}'\n`, { mode: 0o755 });
  for (const folder of ['.git/hooks', '.husky']) {
    disk.mkdirSync(`${repository}/${folder}`, { recursive: true });
    for (const hook of hooks) plant(`${folder}/${hook}`, hook);
  }
  plant('.git/watch.sh', 'watcher');
  disk.appendFileSync(`${repository}/.git/config`, `[core]\n\tfsmonitor = ${repository}/.git/watch.sh\n`);
}

function textIn(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

describe('hooks that an agent has just written', () => {
  it.each([
    ['--with-commit', '.git/hooks'],
    ['--worktree', '.git/hooks'],
    ['--with-commit', '.husky'],
    ['--worktree', '.husky'],
  ])('are not run by `execute %s` (%s)', async (flag, hooks) => {
    const workspace = new SessionWorkspace({ 'src/a.txt': 'one\n' });
    workspace.initGit();
    if (hooks === '.husky') workspace.git('config', 'core.hooksPath', hooks);
    await workspace.begin([task('IMPL-1'), task('IMPL-2', { context: { depends_on: ['IMPL-1'] } })]);
    const ran = path.join(workspace.folder, '.stand-ins', 'ran');
    const places = [workspace.folder, ran].map((place) => JSON.stringify(place)).join(', ');
    const env = workspace.standInClaude(
      `(${plantHooks})(fs, ${places}); fs.appendFileSync('src/a.txt', 'more\\n'); return {};`,
    );
    await workspace.ok(['execute', flag], { env });
    const log = workspace.git('-c', 'core.hooksPath=/dev/null', 'log', '--format=%s');
    expect(log).toMatch(/IMPL-2[\s\S]*IMPL-1/);
    expect(textIn(ran)).toBe('');
  });

  it('are not run by a loop that checks for changes', async () => {
    const project = new Project({ 'a.txt': 'one\n' });
    execFileSync('git', ['init', '--quiet'], { cwd: project.folder });
    await project.task(['--mode', 'iterative']);
    const ran = path.join(project.elsewhere, 'ran');
    plantHooks(fs, project.folder, ran);
    const calls = [status({ complete: false, worked: true }), status({ complete: true, worked: true })];
    project.agent({ calls });
    const ended = await project.iterate(['run', 'task', '--no-verify', '--no-delay']);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(textIn(ran)).toBe('');
  });
});
