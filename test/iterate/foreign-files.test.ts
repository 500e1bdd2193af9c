import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASS, Project, TASK } from './rig.ts';

const REPORT = `${TASK}/verification-report.md`;

describe('an iterate workspace', () => {
  it('keeps a report that no verification has read, and replaces one that was read', async () => {
    const project = new Project();
    await project.task();
    project.write({ [REPORT]: '# My own review\n' });
    project.agent({
      verifications: [{ files: { [REPORT]: PASS } }, { files: { [REPORT]: `${PASS}\nAgain.\n` } }],
    });
    const first = await project.iterate(['verify', 'task']);
    expect(first.exitCode).toBe(0);
    expect(first.stderr).toContain('kept `verification-report.md` as `verification-report.md.kept-1`');
    expect(project.read(`${REPORT}.kept-1`)).toBe('# My own review\n');
    const second = await project.iterate(['verify', 'task']);
    expect(second.stderr).not.toContain('kept');
    expect(project.list(TASK).filter((name) => name.includes('.kept-'))).toHaveLength(1);
  });

  it('keeps a report that was edited since it was read', async () => {
    const project = new Project();
    await project.task();
    project.agent({ validations: [{ files: { [`${TASK}/validation-report.md`]: 'Score: 9/10\n' } }] });
    await project.iterate(['validate', 'task']);
    fs.appendFileSync(path.join(project.folder, TASK, 'validation-report.md'), 'I do not think so.\n');
    await project.iterate(['validate', 'task']);
    expect(project.read(`${TASK}/validation-report.md.kept-1`)).toBe('Score: 9/10\nI do not think so.\n');
  });

  it('keeps the instructions that `setup --from` replaces', async () => {
    const project = new Project({ 'new.md': 'Do something else.\n' });
    await project.task([], 'Do it my way.\n');
    const ended = await project.iterate(['setup', 'task', '--from', 'new.md']);
    expect(ended.stderr).toContain(`Earlier instructions kept: ${TASK}/INSTRUCTIONS.md.kept-1\n`);
    expect(project.read(`${TASK}/INSTRUCTIONS.md.kept-1`)).toBe('Do it my way.\n');
    expect(project.read(`${TASK}/INSTRUCTIONS.md`)).toBe('Do something else.\n');
  });

  it('refuses to run if a foreign file has the name of its lock', async () => {
    const project = new Project();
    await project.task();
    project.write({ [`${TASK}/.lock`]: 'Do not touch, Ada\n' });
    project.agent({ calls: [{ text: 'nothing' }] });
    for (const argv of [
      ['run', 'task'],
      ['clean', 'task', '--force'],
      ['archive', 'save', 'task'],
      ['reset', 'task'],
    ]) {
      const ended = await project.iterate(argv);
      expect(ended.exitCode, argv.join(' ')).toBe(1);
      expect(ended.stderr).toContain('another file is in the place of its lock');
    }
    expect(project.read(`${TASK}/.lock`)).toBe('Do not touch, Ada\n');
    expect(project.calls()).toHaveLength(0);
  });
});
