import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS } from '../../src/iterate/config/keys.ts';
import { userConfigFolder } from '../../src/iterate/config/layers.ts';
import type { IterateInput } from '../../src/iterate/input.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { startHttpTarget } from '../notify/http-target.ts';
import { CLAUDE_ITERATE, PASS, Project, status, TASK } from './rig.ts';

const USER_FILE = '.config/claude-iterate/config.json';

/** Values that are nowhere the default, one set a layer. */
function settings(n: number): JsonObject {
  return {
    agent: 'claude',
    defaultMaxIterations: 10 + n,
    defaultDelay: 0,
    defaultStagnationThreshold: 5 + n,
    outputLevel: 'quiet',
    checks: [`test ${n} = ${n}`],
    retry: { maxAttempts: 4 + n, delaysSec: [n, 2 * n] },
    idleTimeoutMin: 40 + n,
    claude: { command: `claude-${n}`, args: [`--mark=${n}`] },
    verification: {
      autoVerify: false,
      resumeOnFail: false,
      maxAttempts: 5 + n,
      reportFilename: `report-${n}.md`,
      depth: 'deep',
    },
  };
}

function expectedInput(n: number): object {
  return {
    maxIterations: 10 + n,
    delayMs: 0,
    stagnationThreshold: 5 + n,
    checks: [['test', `${n}`, '=', `${n}`]],
    retry: { maxAttempts: 4 + n, delaysMs: [n * 1000, 2 * n * 1000] },
    idleTimeoutMs: (40 + n) * 60_000,
    agent: { command: [`claude-${n}`], extraArgs: [`--mark=${n}`] },
    verification: {
      autoVerify: false,
      resumeOnFail: false,
      maxAttempts: 5 + n,
      reportFilename: `report-${n}.md`,
      depth: 'deep',
    },
  };
}

/** A workspace without settings of its own, so that the others are seen. */
async function bare(): Promise<Project> {
  const project = new Project();
  await project.task();
  const { maxIterations: _m, delay: _d, stagnationThreshold: _s, ...kept } = project.metadata();
  project.write({ [`${TASK}/.metadata.json`]: JSON.stringify(kept) });
  return project;
}

function put(project: Project, layer: string, value: JsonObject): void {
  const text = JSON.stringify(value);
  if (layer === 'user') project.write({ [USER_FILE]: text });
  if (layer === 'project') project.write({ '.claude-iterate.json': text });
  if (layer === 'workspace') {
    project.write({ [`${TASK}/.metadata.json`]: JSON.stringify({ ...project.metadata(), config: value }) });
  }
}

function inputOf(project: Project): IterateInput {
  const started = project.journal().find((event) => event.type === 'run-started') as unknown as {
    input: IterateInput;
  };
  return started.input;
}

describe('settings of a run', () => {
  it.each(['user', 'project', 'workspace'])('are all effective from the %s layer', async (layer) => {
    const project = await bare();
    put(project, layer, settings(3));
    const ended = await project.iterate(['run', 'task', '--dry-run']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toBe('');
    expect(inputOf(project)).toMatchObject(expectedInput(3));
  });

  it('go by the strongest layer, key by key', async () => {
    const project = await bare();
    put(project, 'user', settings(1));
    put(project, 'project', settings(2));
    put(project, 'workspace', { defaultMaxIterations: 13, claude: { args: ['--mark=3'] } });
    const flags = [
      '--max-iterations',
      '14',
      '--check',
      'test 4 = 4',
      '--output',
      'progress',
      '--stagnation-threshold',
      '0',
    ];
    const ended = await project.iterate([
      'run',
      'task',
      '--dry-run',
      ...flags,
      '--verify',
      '--delay',
      '0.001',
    ]);
    expect(ended.stderr).toContain('✓ Task completed successfully after 3 iterations');
    expect(inputOf(project)).toMatchObject({
      ...expectedInput(2),
      maxIterations: 14,
      delayMs: 1,
      stagnationThreshold: 0,
      checks: [['test', '4', '=', '4']],
      agent: { command: ['claude-2'], extraArgs: ['--mark=3'] },
      verification: { autoVerify: true, depth: 'deep', reportFilename: 'report-2.md' },
    });
  });

  it('of the metadata itself stand above the project', async () => {
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

  it('say which agent is used, with --agent in front', async () => {
    const project = await bare();
    put(project, 'user', { agent: 'gemini' });
    await project.iterate(['run', 'task', '--dry-run', '--quiet', '--no-delay']);
    expect(inputOf(project).agent).toMatchObject({ type: 'builtin', adapter: 'gemini' });
    await project.iterate(['run', 'task', '--dry-run', '--quiet', '--no-delay', '--agent', 'codex']);
    expect(inputOf(project).agent).toMatchObject({ type: 'builtin', adapter: 'codex' });
  });
});

describe('settings of notifications', () => {
  it.each(['user', 'project', 'workspace'])('are effective from the %s layer', async (layer) => {
    const target = await startHttpTarget();
    const project = await bare();
    put(project, layer, {
      notifyUrl: target.url,
      notifyEvents: ['status_update', 'completion'],
      notify: { format: 'json' },
      notification: { statusWatch: { enabled: false } },
      verification: { notifyOnVerification: false },
    });
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ files: { [`${TASK}/verification-report.md`]: PASS } }],
    });
    await project.iterate(['run', 'task', '--quiet']);
    expect(target.received.map(({ body }) => (JSON.parse(body) as { event: string }).event)).toEqual([
      'completion',
    ]);
  });
});

describe('folders', () => {
  it.each(['user', 'project', 'command line'])('are taken from the %s', async (layer) => {
    const project = new Project({ 'task.md': 'Do it.\n' });
    const folders = { workspacesDir: 'w', templatesDir: 't', archiveDir: 'a', globalTemplatesDir: '~/g' };
    if (layer !== 'command line') put(project, layer, folders);
    const flags =
      layer === 'command line' ? ['--workspaces-dir', 'w', '--templates-dir', 't', '--archive-dir', 'a'] : [];
    for (const argv of [
      ['init', 'x'],
      ['setup', 'x', '--from', 'task.md'],
      ['template', 'save', 'x'],
      ['template', 'save', 'x', 'y', '--global'],
      ['archive', 'save', 'x', '--keep'],
    ]) {
      expect((await project.iterate([...argv, ...flags])).exitCode, argv.join(' ')).toBe(0);
    }
    expect(project.has('w/x/INSTRUCTIONS.md')).toBe(true);
    expect(project.has('t/x/template.json')).toBe(true);
    expect(project.list('a')).toHaveLength(1);
    expect(project.has(layer === 'command line' ? '.config/claude-iterate/templates/y' : 'g/y')).toBe(true);
  });

  it('of the user lie where the system keeps settings', () => {
    const site = { projectRoot: '/p', env: { HOME: '/h', APPDATA: '/r' } };
    expect(userConfigFolder(site, 'linux')).toBe('/h/.config/claude-iterate');
    expect(userConfigFolder({ ...site, env: { HOME: '/h', XDG_CONFIG_HOME: '/x' } }, 'linux')).toBe(
      '/x/claude-iterate',
    );
    expect(userConfigFolder(site, 'darwin')).toBe('/h/Library/Application Support/claude-iterate');
    expect(userConfigFolder(site, 'win32')).toBe('/r/claude-iterate');
  });
});

describe('colours', () => {
  it.each([
    ['on', {}, [], true],
    ['off by a setting', { colors: false }, [], false],
    ['off by a flag', {}, ['--no-colors'], false],
  ] as const)('are %s on a terminal', async (_name, config, flags, expected) => {
    const project = new Project({ '.claude-iterate.json': JSON.stringify(config) });
    await project.task();
    const words = [CLAUDE_ITERATE, 'run', 'task', '--dry-run', '--delay', '0.3', ...flags];
    const ended = spawnSync('script', ['-qec', `${process.execPath} ${words.join(' ')}`, '/dev/null'], {
      cwd: project.folder,
      env: {
        PATH: project.path,
        HOME: project.folder,
        TERM: 'xterm',
        TMPDIR: path.join(project.elsewhere, 'tmp'),
      },
      encoding: 'utf8',
    });
    expect(ended.stdout).toContain('Task completed successfully');
    expect(ended.stdout.includes('\u001b[1m')).toBe(expected);
  });
});

describe('claude-iterate config', () => {
  it('shows every setting with where it comes from', async () => {
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

  it('changes the file it is told to, and leaves the rest of it alone', async () => {
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
    [['verification.dept'], 'there is no setting `verification.dept`; did you mean `verification.depth`?'],
    [['verification.depth', 'odd'], '`verification.depth`: `odd` is not quick, standard or deep'],
    [['retry.maxAttempts', '1.5'], '`retry.maxAttempts`: `1.5` is not a whole number, 1 or more'],
    [['colors', 'maybe'], '`colors`: `maybe` is not true or false'],
    [['colors', '--add', 'x'], '`colors`: it is no list'],
    [
      ['notifyEvents', '--add', 'odd'],
      '`notifyEvents`: `odd` is not setup_complete, execution_start, iteration, iteration_milestone, completion, error, status_update or all',
    ],
    [['-w', 'task', 'archiveDir', 'x'], '`archiveDir` cannot be set for one workspace'],
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

  it('says where a file is wrong, for every command', async () => {
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
