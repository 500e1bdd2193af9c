/** Words, aliases and fields of the original tool that people and their scripts know. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASS, Project, status, TASK } from './rig.ts';

describe('templates', () => {
  it('are shown with their description, tags and estimate, also those of the original tool', async () => {
    const project = new Project({
      'claude-iterate/templates/old/INSTRUCTIONS.md': 'Do it.\n',
      'claude-iterate/templates/old/.template.json': JSON.stringify({
        ...{ name: 'old', description: 'Moves things', tags: ['a', 'b'], estimatedIterations: 12 },
      }),
    });
    const { stdout } = await project.iterate(['tpl', 'show', 'old']);
    expect(stdout).toContain('Description:          Moves things\n');
    expect(stdout).toContain('Tags:                 a, b\n');
    expect(stdout).toContain('Iterations:           12\n');
    expect(stdout).not.toContain('Created:');
    expect((await project.iterate(['tpl', 'ls'])).stdout).toContain('old ');
  });

  it('are saved and deleted for all projects with `-g`, and the one of the project stays', async () => {
    const project = new Project();
    await project.task();
    for (const flags of [[], ['-g']])
      expect((await project.iterate(['template', 'save', 'task', 'mine', ...flags])).exitCode).toBe(0);
    expect((await project.iterate(['template', 'rm', 'mine', '-g', '-f'])).exitCode).toBe(0);
    expect((await project.iterate(['template', 'show', 'mine'])).stdout).toContain('project');
    expect((await project.iterate(['template', 'rm', 'mine', '-g', '-f'])).stderr).toContain(
      'error: Template not found: mine\n',
    );
  });
});

describe('archives', () => {
  it('have the note of the original tool, and are listed and deleted under its short names', async () => {
    const project = new Project();
    await project.task();
    await project.iterate(['archive', 'save', 'task', '--keep']);
    const [file = ''] = project.archives();
    const name = file.replace(/\.tar\.gz$/, '');
    const note = execFileSync('tar', [
      ...['-xzOf', path.join(project.folder, 'claude-iterate/archive', file)],
      ...['--wildcards', '*.archived.json'],
    ]);
    expect(JSON.parse(note.toString())).toEqual({
      originalName: 'task',
      archiveName: name,
      archivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      archivedFrom: path.join(project.folder, TASK),
    });
    expect((await project.iterate(['archive', 'ls'])).stdout).toContain(name);
    expect((await project.iterate(['archive', 'rm', name, '-f'])).exitCode).toBe(0);
    expect(project.archives()).toEqual([]);
  });
});

describe('verify', () => {
  it('prints only errors with `-q`, and what the agent does with `-v`', async () => {
    const project = new Project();
    await project.task();
    const report = { [`${TASK}/verification-report.md`]: PASS };
    project.agent({ verifications: [{ files: report, text: 'I looked at it.' }] });
    expect(await project.iterate(['verify', 'task', '-q'])).toMatchObject({
      ...{ exitCode: 0, stdout: '', stderr: '' },
    });
    const verbose = await project.iterate(['verify', 'task', '-v']);
    expect(`${verbose.stdout}${verbose.stderr}`).toContain('I looked at it.');
    expect(verbose.stdout).toContain('✅ Verified\nAll there.\n');
    expect((await project.iterate(['verify', 'task', '-v', '-q'])).exitCode).toBe(1);
  });

  it('says that a report has no summary', async () => {
    const project = new Project();
    await project.task();
    project.agent({ verifications: [{ files: { [`${TASK}/verification-report.md`]: '✅ VERIFIED\n' } }] });
    const ended = await project.iterate(['verify', 'task', '--json']);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      ...{ status: 'pass', summary: 'The report has no summary.' },
    });
  });
});

describe('show and config', () => {
  it('warn of a task that is claimed complete with items left', async () => {
    const project = new Project();
    await project.task();
    project.write(
      Object.fromEntries(
        Object.entries(status({ complete: true, progress: { completed: 1, total: 3 } }).files ?? {}).map(
          ([name, value]) => [name, JSON.stringify(value)],
        ),
      ),
    );
    expect((await project.iterate(['show', 'task'])).stdout).toContain('yes (⚠️ but 2 items remaining)\n');
  });

  it('describe every setting with its default, and say what is not set', async () => {
    const project = new Project();
    const { stdout } = await project.iterate(['config', '--keys']);
    expect(stdout).toContain(
      'outputLevel  (default: progress)\n  how much output a run shows\n  quiet, progress or verbose\n',
    );
    expect(stdout).toContain('notifyUrl  (default: not set)\n');
    expect((await project.iterate(['config', 'notifyUrl'])).stdout).toBe('not set  (default)\n');
  });
});
