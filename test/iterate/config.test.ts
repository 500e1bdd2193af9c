import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS } from '../../src/iterate/config/keys.ts';
import { userConfigFolder } from '../../src/iterate/config/layers.ts';
import type { JsonValue } from '../../src/model/json.ts';
import { bareTask, inputOf, put, USER_FILE } from './layers.ts';
import { Project, TASK } from './rig.ts';

describe('settings of a run', () => {
  it('come from the strongest layer, key by key', async () => {
    const project = await bareTask();
    put(project, 'user', {
      defaultMaxIterations: 11,
      retry: { maxAttempts: 5 },
      claude: { args: ['--user'] },
    });
    put(project, 'project', {
      defaultMaxIterations: 12,
      claude: { command: 'claude-2', args: ['--project'] },
    });
    put(project, 'workspace', { defaultMaxIterations: 13, claude: { args: ['--workspace'] } });
    const flags = ['--max-iterations', '14', '--no-delay', '--quiet'];
    await project.iterate(['run', 'task', '--trust', '--dry-run', ...flags]);
    expect(inputOf(project)).toMatchObject({
      maxIterations: 14,
      retry: { maxAttempts: 5, delaysMs: [5000, 30_000, 120_000] },
      agent: { command: ['claude-2'], extraArgs: ['--workspace'] },
    });
  });

  it('in the metadata override the project', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ defaultMaxIterations: 5, defaultDelay: 9 }),
    });
    await project.iterate(['init', 'a']);
    expect(project.metadata('a')).toMatchObject({ maxIterations: 5, delay: 9 });
    await project.iterate(['init', 'b', '--mode', 'iterative']);
    expect(project.metadata('b')).toMatchObject({ maxIterations: 5 });
    await project.task(['-m', '6', '-d', '0']);
    await project.iterate(['run', 'task', '--dry-run', '--quiet']);
    expect(inputOf(project)).toMatchObject({ maxIterations: 6, delayMs: 0 });
  });
});

describe('folders', () => {
  it("of the user are in the system's settings folder", () => {
    const site = { projectRoot: '/p', env: { HOME: '/h', APPDATA: '/r' } };
    expect(userConfigFolder(site, 'linux')).toBe('/h/.config/claude-iterate');
    expect(userConfigFolder({ ...site, env: { HOME: '/h', XDG_CONFIG_HOME: '/x' } }, 'linux')).toBe(
      '/x/claude-iterate',
    );
    expect(userConfigFolder(site, 'darwin')).toBe('/h/Library/Application Support/claude-iterate');
    expect(userConfigFolder(site, 'win32')).toBe('/r/claude-iterate');
  });
});

describe('claude-iterate config', () => {
  it('shows every setting with its source', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ verification: { depth: 'deep' } }),
    });
    put(project, 'user', { verification: { depth: 'quick', maxAttempts: 9 } });
    const shown = JSON.parse((await project.iterate(['config', '--json'])).stdout) as {
      [key: string]: { value: JsonValue; from: string; file?: string };
    };
    expect(Object.keys(shown)).toEqual(Object.keys(CONFIG_KEYS));
    expect(shown['verification.depth']).toEqual({
      value: 'deep',
      from: 'project',
      file: path.join(project.folder, '.claude-iterate.json'),
    });
    expect(shown['verification.maxAttempts']).toMatchObject({ value: 9, from: 'user' });
    expect(shown['retry.delaysSec']).toEqual({ value: [5, 30, 120], from: 'default' });
    expect((await project.iterate(['config', 'retry.delaysSec'])).stdout).toBe('[5,30,120]  (default)\n');
    expect((await project.iterate(['config', '-l'])).stdout).toContain('verification.depth ');
    expect((await project.iterate(['config', '-k'])).stdout).toContain('quick, standard or deep');
  });

  it('adds and removes elements that are options of this program too', async () => {
    const project = new Project();
    for (const argv of [
      ['claude.args', '--add', '--verbose'],
      ['claude.args', '--add', '--trust'],
      ['claude.args', '--add', '-g'],
      ['claude.args', '--remove', '--trust'],
    ])
      expect((await project.iterate(['config', ...argv])).exitCode, argv.join(' ')).toBe(0);
    expect(JSON.parse(project.read('.claude-iterate.json'))).toEqual({
      claude: { args: ['--verbose', '-g'] },
    });
    const added = await project.run([
      'iterate',
      'config',
      'claude.args',
      '--add',
      '--no-colors',
      '--verbose',
    ]);
    expect(added.stdout).toContain('["--verbose","-g","--no-colors"]');
  });

  it('changes one key in the chosen file and leaves the rest unchanged', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ mine: { a: 1 }, claude: { args: ['--x'] } }),
    });
    await project.task();
    for (const argv of [
      ['verification.depth', 'deep'],
      ['claude.args', '--add', '--y'],
      ['claude.args', '--add', '--y'],
      ['claude.args', '--remove', '--x'],
      ['retry.delaysSec', '[1, 2.5]'],
      ['-g', 'colors', 'false'],
      ['-w', 'task', 'defaultMaxIterations', '7'],
      ['-w', 'task', 'notifyEvents', '--add', 'error'],
      ['-w', 'task', 'verification.autoVerify', 'false'],
    ]) {
      const ended = await project.iterate(['config', ...argv]);
      expect(ended.exitCode, `${argv.join(' ')}: ${ended.stderr}`).toBe(0);
    }
    expect(JSON.parse(project.read('.claude-iterate.json'))).toEqual({
      mine: { a: 1 },
      claude: { args: ['--y'] },
      verification: { depth: 'deep' },
      retry: { delaysSec: [1, 2.5] },
    });
    expect(JSON.parse(project.read(USER_FILE))).toEqual({ colors: false });
    expect(project.metadata()).toMatchObject({
      maxIterations: 7,
      notifyEvents: ['error'],
      config: { verification: { autoVerify: false } },
    });
    expect((await project.iterate(['config', '-w', 'task', 'defaultMaxIterations'])).stdout).toBe(
      `7  (workspace: ${path.join(project.folder, TASK, '.metadata.json')})\n`,
    );
    await project.iterate(['config', 'verification.depth', '--unset']);
    await project.iterate(['config', 'claude.args', '--unset']);
    expect(JSON.parse(project.read('.claude-iterate.json'))).toEqual({
      mine: { a: 1 },
      retry: { delaysSec: [1, 2.5] },
    });
  });

  it.each([
    [['verification.dept'], 'unknown setting `verification.dept`; did you mean `verification.depth`?'],
    [['verification.depth', 'odd'], '`verification.depth`: `odd` is not quick, standard or deep'],
    [['retry.maxAttempts', '1.5'], '`retry.maxAttempts`: `1.5` is not a whole number, 1 or more'],
    [
      ['verification.reportFilename', '../../elsewhere.md'],
      '`verification.reportFilename`: `../../elsewhere.md` is not a path inside the workspace',
    ],
    [['colors', 'maybe'], '`colors`: `maybe` is not true or false'],
    [['colors', '--add', 'x'], '`colors`: not a list'],
    [
      ['notifyEvents', '--add', 'odd'],
      '`notifyEvents`: `odd` is not setup_complete, execution_start, iteration, iteration_milestone, completion, error, status_update or all',
    ],
    [['-w', 'task', 'archiveDir', 'x'], '`archiveDir` cannot be set for a single workspace'],
    [['-w', 'task', '-g', 'colors', 'true'], 'Use only one of --global and --workspace.'],
    [['colors', 'true', '--unset'], '`colors`: use only one of a value, --add, --remove and --unset'],
  ])('refuses %s', async (argv, message) => {
    const project = new Project();
    await project.task();
    const ended = await project.iterate(['config', ...argv]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(project.has('.claude-iterate.json')).toBe(false);
  });

  it('reports an invalid file, for every command', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ retry: { maxAttempts: 'many' }, colors: 1 }),
    });
    const ended = await project.iterate(['list']);
    expect(ended.exitCode).toBe(1);
    const file = path.join(fs.realpathSync(project.folder), '.claude-iterate.json');
    expect(ended.stderr).toBe(
      `error: \`${file}\` is not valid: \`retry.maxAttempts\` must be a whole number, 1 or more; \`colors\` must be true or false\n`,
    );
  });
});
