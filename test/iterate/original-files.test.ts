/** Workspaces, templates and archives of the original tool, and what archives contain. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_VERIFY, Project, status, TASK } from './rig.ts';

const METADATA = {
  name: 'old',
  created: '2025-10-15T14:23:45.000Z',
  status: 'in_progress',
  totalIterations: 3,
  setupIterations: 1,
  executionIterations: 2,
  maxIterations: 50,
  delay: 2,
  verification: { verificationAttempts: 0, lastVerificationStatus: 'not_run', verifyResumeCycles: 0 },
};
const OLD = 'claude-iterate/workspaces/old';
const ARCHIVE = 'claude-iterate/archive';
const NAME = 'old-2025-10-15T14-23-45';

describe('a workspace of the original tool', () => {
  it('opens without a mode and with a verification that has not run', async () => {
    const project = new Project({
      [`${OLD}/.metadata.json`]: JSON.stringify(METADATA),
      [`${OLD}/INSTRUCTIONS.md`]: 'Do it.\n',
    });
    expect((await project.iterate(['list'])).stdout).toMatch(/^old +in_progress +loop +2 /m);
    project.agent({ calls: [{ files: { [`${OLD}/.status.json`]: { complete: true } } }] });
    expect((await project.iterate(['run', 'old', ...NO_VERIFY])).exitCode).toBe(0);
    expect(project.metadata('old')).toMatchObject({ executionIterations: 3, status: 'completed' });
  });
});

describe('a template', () => {
  it.each([
    [
      'with `.template.json`',
      { '.template.json': JSON.stringify({ name: 't', description: 'x', tags: ['a'] }) },
    ],
    ['with only instructions', {}],
  ])('of the original tool is listed and used: %s', async (_what, files) => {
    const folder = 'claude-iterate/templates/old';
    const project = new Project(
      Object.fromEntries(
        Object.entries({ 'INSTRUCTIONS.md': 'Do it.\n', ...files }).map(([name, text]) => [
          `${folder}/${name}`,
          text,
        ]),
      ),
    );
    expect((await project.iterate(['template', 'list'])).stdout).toContain('old');
    expect((await project.iterate(['template', 'use', 'old', 'task'])).exitCode).toBe(0);
    expect(project.read(`${TASK}/INSTRUCTIONS.md`)).toBe('Do it.\n');
    expect(project.metadata().mode).toBe('loop');
  });

  it('is saved with its description, and replaced on request', async () => {
    const project = new Project();
    await project.task();
    const save = ['template', 'save', 'task', 'mine', '-d', 'Moves things', '-t', 'a, b', '-e', '12'];
    expect((await project.iterate(save)).exitCode).toBe(0);
    const saved = JSON.parse(project.read('claude-iterate/templates/mine/template.json'));
    expect(saved).toMatchObject({ description: 'Moves things', tags: ['a', 'b'], estimatedIterations: 12 });
    expect(await project.iterate(save)).toMatchObject({
      exitCode: 1,
      stderr: 'error: Template already exists: mine\n',
    });
    project.write({ [`${TASK}/INSTRUCTIONS.md`]: 'New.\n' });
    expect((await project.iterate([...save, '--force'])).exitCode).toBe(0);
    expect(project.read('claude-iterate/templates/mine/INSTRUCTIONS.md')).toBe('New.\n');
    expect(fs.readdirSync(path.join(project.folder, 'claude-iterate/templates')).sort()).toEqual([
      'mine',
      'mine.kept-1',
    ]);
  });
});

describe('an archive of the original tool', () => {
  const unpacked = {
    '.metadata.json': JSON.stringify(METADATA),
    'INSTRUCTIONS.md': 'Do it.\n',
    'working/notes.md': 'notes\n',
    '.archived.json': JSON.stringify({ name: 'old', archivedAt: '2025-10-15T14:23:45.000Z' }),
  };

  it.each(['a tarball with the folder inside', 'a folder'])('is shown and restored: %s', async (kind) => {
    const isFolder = kind === 'a folder';
    const root = isFolder ? `${ARCHIVE}/${NAME}` : 'packed/old';
    const project = new Project(
      Object.fromEntries(Object.entries(unpacked).map(([name, text]) => [`${root}/${name}`, text])),
    );
    if (!isFolder) {
      fs.mkdirSync(path.join(project.folder, ARCHIVE), { recursive: true });
      const file = path.join(project.folder, ARCHIVE, `${NAME}.tar.gz`);
      execFileSync('tar', ['-czf', file, '-C', path.join(project.folder, 'packed'), 'old']);
    }
    expect((await project.iterate(['archive', 'list'])).stdout).toContain(NAME);
    expect((await project.iterate(['archive', 'show', NAME])).stdout).toContain('INSTRUCTIONS.md');
    expect((await project.iterate(['archive', 'restore', NAME])).exitCode).toBe(0);
    expect(fs.readdirSync(path.join(project.folder, OLD)).sort()).toEqual([
      '.metadata.json',
      'INSTRUCTIONS.md',
      'working',
    ]);
    expect(project.read(`${OLD}/working/notes.md`)).toBe('notes\n');
    expect((await project.iterate(['archive', 'delete', NAME, '--force'])).exitCode).toBe(0);
    expect(project.list(ARCHIVE).filter((name) => name.startsWith('old'))).toEqual([]);
  });
});

describe('archive save', () => {
  it('never brings a removed file back', async () => {
    const project = new Project();
    await project.task();
    project.write({ [`${TASK}/working/gone.md`]: 'x' });
    const restore = async (): Promise<void> => {
      const saved = await project.iterate(['archive', 'save', 'task']);
      expect(saved.exitCode).toBe(0);
      const name = /task-\d{4}\S+/.exec(saved.stdout)?.[0]?.replace(/\.tar\.gz.*/, '') ?? '';
      expect((await project.iterate(['archive', 'restore', name])).exitCode).toBe(0);
    };
    await restore();
    expect(project.has(`${TASK}/working/gone.md`)).toBe(true);
    fs.rmSync(path.join(project.folder, TASK, 'working', 'gone.md'));
    await restore();
    expect(project.has(`${TASK}/working/gone.md`)).toBe(false);
  });
});

describe('git', () => {
  it('does not commit workspaces and archives by accident', async () => {
    const project = new Project();
    execFileSync('git', ['init', '-q'], { cwd: project.folder });
    await project.task();
    await project.iterate(['archive', 'save', 'task', '--keep']);
    await project.iterate(['run', 'task', '--dry-run', '--no-delay', '--quiet']);
    const seen = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: project.folder }).toString();
    // The home of the test is its project.
    expect(seen.split('\n').filter((line) => line !== '' && !line.includes(' .config/'))).toEqual([]);
  });
});

describe('a setting that is changed while the loop runs', () => {
  it('is saved with a warning that this run keeps its own', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ ...status({ complete: true }), waitFor: 'go' }] });
    const started = project.begin(['run', 'task', ...NO_VERIFY]);
    const { until } = await import('../rig/orchestrate.ts');
    await until(() => project.calls().length === 1);
    const changed = await project.iterate(['config', '-w', 'task', 'defaultMaxIterations', '7']);
    expect(changed.stderr).toContain(
      `warning: \`task\` is running (process ${started.pid}) and keeps its settings: the change takes effect in the next run.`,
    );
    project.allow('go');
    await started.ended;
  });
});

describe('verify --report-path', () => {
  it('creates the folder of the report', async () => {
    const project = new Project();
    await project.task();
    project.agent({ verifications: [{ text: '✅ VERIFIED COMPLETE' }] });
    const ended = await project.iterate(['verify', 'task', '--report-path', 'out/deep/report.md']);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(project.read('out/deep/report.md')).toContain('VERIFIED');
  });
});

describe('an agent that fails', () => {
  it('is quoted with its last words', async () => {
    const project = new Project({ '.claude-iterate.json': JSON.stringify({ retry: { maxAttempts: 1 } }) });
    await project.task();
    const agent = "sh -c 'cat > /dev/null; echo no database here >&2; exit 3'";
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--agent', agent]);
    expect(ended.stderr).toMatch(/❌ Iteration 1 failed: .*no database here/);
  });
});
