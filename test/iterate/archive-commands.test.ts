import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project, TASK } from './rig.ts';

describe('clean', () => {
  it('removes nothing without consent', async () => {
    const project = new Project();
    await project.task();
    const ended = await project.iterate(['clean', 'task']);
    expect(ended).toMatchObject({
      exitCode: 1,
      stderr: 'error: Nothing was removed: cannot ask, not a terminal.\nhelp: use --force\n',
    });
    expect(project.has(TASK)).toBe(true);
  });

  it('archives first', async () => {
    const project = new Project();
    await project.task();
    const ended = await project.iterate(['clean', 'task', '-f']);
    expect(ended.exitCode).toBe(0);
    expect(project.has(TASK)).toBe(false);
    expect(project.archives()).toHaveLength(1);
    await project.task();
    await project.iterate(['clean', 'task', '-f', '--no-archive']);
    expect(project.has(TASK)).toBe(false);
    expect(project.archives()).toHaveLength(1);
  });

  it('archives and removes a workspace with damaged metadata', async () => {
    const project = new Project();
    await project.task();
    project.write({ [`${TASK}/.metadata.json`]: '{"name":' });
    const ended = await project.iterate(['clean', 'task', '-f']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(project.has(TASK)).toBe(false);
    expect(project.archives()).toHaveLength(1);
  });

  it('removes nothing if the archive cannot be created', async () => {
    const project = new Project({ 'claude-iterate/archive': 'a file in the way' });
    await project.task();
    const ended = await project.iterate(['clean', 'task', '-f']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('error: Nothing was removed: could not create the archive');
    expect(project.has(`${TASK}/INSTRUCTIONS.md`)).toBe(true);
  });
});

describe('archive', () => {
  it('saves, lists, shows, restores and deletes', async () => {
    const project = new Project();
    await project.task(['-m', '4']);
    project.write({
      [`${TASK}/working/deep/${'n'.repeat(120)}.txt`]: 'long name',
      [`${TASK}/working/ünï.txt`]: 'x',
    });
    fs.symlinkSync('deep', path.join(project.folder, TASK, 'working', 'inner'));
    fs.symlinkSync('/nowhere/at-all', path.join(project.folder, TASK, 'working', 'outer'));
    const saved = await project.iterate(['archive', 'save', 'task', '--keep']);
    const name = /Archived: (\S+)/.exec(saved.stdout)?.[1] ?? '';
    expect(name).toMatch(/^task-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/);
    expect(project.has(TASK)).toBe(true);
    const file = path.join(project.folder, 'claude-iterate/archive', `${name}.tar.gz`);
    const listed = spawnSync('tar', ['tzf', file], { encoding: 'utf8' });
    expect(listed.status).toBe(0);
    expect(listed.stdout).toContain('.archived.json\n');
    expect(listed.stdout).toContain(`working/deep/${'n'.repeat(120)}.txt\n`);
    expect((await project.iterate(['archive', 'list'])).stdout).toContain(name);
    const shown = await project.iterate(['archive', 'show', name]);
    expect(shown.stdout).toContain('Workspace:  task\n');
    expect(shown.stdout).toContain('  INSTRUCTIONS.md (19 bytes)\n');
    const refused = await project.iterate(['archive', 'restore', name]);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain('Could not restore the archive: Workspace already exists: task');
    const restored = await project.iterate(['archive', 'restore', name, 'other']);
    expect(restored.exitCode).toBe(0);
    expect(restored.stderr).toBe(
      'warning: skipped the link `working/outer`: it leads outside the workspace\n',
    );
    expect(project.metadata('other')).toMatchObject({ name: 'other', maxIterations: 4 });
    const other = 'claude-iterate/workspaces/other';
    expect(project.read(`${other}/working/inner/${'n'.repeat(120)}.txt`)).toBe('long name');
    expect(project.read(`${other}/working/ünï.txt`)).toBe('x');
    expect(project.has(`${other}/.archived.json`)).toBe(false);
    expect((await project.iterate(['archive', 'save', 'task'])).exitCode).toBe(0);
    expect(project.has(TASK)).toBe(false);
    expect((await project.iterate(['archive', 'delete', name, '-f'])).exitCode).toBe(0);
    expect((await project.iterate(['archive', 'show', '../../x'])).stderr).toContain(
      'Archive not found: ../../x',
    );
  });
});
