import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLock } from '../../src/store/lock.ts';
import { until, Workspace } from '../rig/orchestrate.ts';

interface Finding {
  readonly area: string;
  readonly level: string;
  readonly message: string;
  readonly help?: string;
}

async function findings(
  workspace: Workspace,
  argv: readonly string[],
  env: { readonly [name: string]: string } = {},
) {
  const ended = await workspace.run(['doctor', '--json', ...argv], { env });
  return { exitCode: ended.exitCode, found: JSON.parse(ended.stdout) as readonly Finding[] };
}

function standIn(workspace: Workspace, name: string, script: string): string {
  workspace.write({ [`bin/${name}`]: `#!/bin/sh\n${script}\n` });
  fs.chmodSync(path.join(workspace.folder, 'bin', name), 0o755);
  return `${path.join(workspace.folder, 'bin')}:/usr/bin:/bin`;
}

describe('doctor', () => {
  it('reports the version of each agent on PATH and what would stop it from working unattended', async () => {
    const workspace = new Workspace();
    const PATH = standIn(workspace, 'gemini', 'echo 0.61.0');
    const { exitCode, found } = await findings(workspace, [], { PATH });
    expect(exitCode).toBe(0);
    expect(found).toContainEqual({
      area: 'agents',
      level: 'ok',
      message: `gemini 0.61.0 (${path.join(workspace.folder, 'bin', 'gemini')})`,
    });
    expect(found).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: expect.stringContaining('gemini: not signed in'),
      }),
    );
    const signedIn = await findings(workspace, [], { PATH, GEMINI_API_KEY: 'made-up' });
    expect(signedIn.found.some(({ message }) => message.includes('gemini: not signed in'))).toBe(false);
  });

  it('reports an agent that does not answer as a problem', async () => {
    const workspace = new Workspace();
    const PATH = standIn(workspace, 'codex', 'exit 3');
    const { exitCode, found } = await findings(workspace, [], { PATH });
    expect(exitCode).toBe(1);
    expect(found).toContainEqual(
      expect.objectContaining({
        area: 'agents',
        level: 'problem',
        message: expect.stringContaining('codex'),
      }),
    );
  });

  it.each([
    ['opencode', '1.18.33', 'opencode: no provider is set up', '.config/opencode/opencode.json'],
    ['copilot', '1.0.102', 'copilot: not signed in', '.copilot/config.json'],
    ['qwen', '0.24.4', 'qwen: not signed in', '.qwen/settings.json'],
    ['claude', '2.1.325', 'claude: not signed in', '.claude/.credentials.json'],
    ['codex', '0.166.0', 'codex: not signed in', '.codex/auth.json'],
  ])('knows %s, and whether it is set up', async (name, version, missing, file) => {
    const workspace = new Workspace();
    const PATH = standIn(workspace, name, `echo ${version}`);
    const home = path.join(workspace.folder, 'home');
    const told = async (): Promise<readonly string[]> =>
      (await findings(workspace, [], { PATH, HOME: home })).found.map(({ message }) => message);
    const before = await told();
    expect(before).toContain(`${name} ${version} (${path.join(workspace.folder, 'bin', name)})`);
    expect(before).toContain(missing);
    workspace.write({ [`home/${file}`]: '{}' });
    expect(await told()).not.toContain(missing);
  });

  it.each([
    ['exit 127', 'note', 'git not found: `isolate` and `--worktree` need it', undefined],
    [
      'echo git version 2.37.7',
      'warning',
      'git 2.37 is too old for `isolate` and `--worktree`',
      'install git 2.38 or newer',
    ],
    ['echo "git version 2.38.0 (Apple Git-1)"', 'ok', 'git 2.38', undefined],
    ['echo git version 3.0.1', 'ok', 'git 3.0', undefined],
  ])('says whether git can isolate work: %s', async (script, level, message, help) => {
    const workspace = new Workspace();
    const PATH = standIn(workspace, 'git', script);
    const { found } = await findings(workspace, [], { PATH });
    const finding = { area: 'program', level, message, ...(help === undefined ? {} : { help }) };
    expect(found).toContainEqual(finding);
  });

  it('says whether sandboxes work, and what prevents them', async () => {
    const workspace = new Workspace();
    const sandboxes = async (PATH: string): Promise<Finding | undefined> =>
      (await findings(workspace, [], { PATH })).found.find(({ message }) => message.includes('sandboxes'));
    workspace.write({ 'empty/.keep': '' });
    expect(await sandboxes(path.join(workspace.folder, 'empty'))).toEqual({
      ...{ area: 'environment', level: 'note', message: 'no sandboxes: `bwrap` not found on PATH' },
      help: 'install the package `bubblewrap`, or remove `sandbox`',
    });
    const refusing = 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1';
    expect(await sandboxes(standIn(workspace, 'bwrap', refusing))).toMatchObject({
      level: 'note',
      message: 'no sandboxes: bubblewrap cannot be used here: bwrap: setting up uid map: Permission denied',
      help: expect.stringMatching(/^(?:user namespaces are off|in a container, start it)/),
    });
    const working = standIn(workspace, 'bwrap', 'exit 0');
    expect(await sandboxes(working)).toEqual({
      ...{ area: 'environment', level: 'ok' },
      message: `sandboxes work (${path.join(workspace.folder, 'bin', 'bwrap')})`,
    });
  });

  it('warns that an API key changes who is billed, and that it runs inside another agent', async () => {
    const workspace = new Workspace();
    const { found } = await findings(workspace, [], { ANTHROPIC_API_KEY: 'made-up', CLAUDECODE: '1' });
    expect(found).toContainEqual({
      area: 'environment',
      level: 'warning',
      message: 'ANTHROPIC_API_KEY is set: calls are billed to that key, not to a Claude plan',
      help: 'unset ANTHROPIC_API_KEY to use the plan',
    });
    expect(found.some(({ message }) => message.includes('inside an agent session (CLAUDECODE)'))).toBe(true);
  });

  it('finds mistakes in files with settings, and says where all of them are listed', async () => {
    const workspace = new Workspace({
      '.orchestrate/config.yaml': 'keep: always\nserve: {max_runs: many}\n',
      '.orchestrate/engine.yaml': 'poll_ms: often\n',
      'my settings/orchestrate/config.yaml': 'keep: sometimes\n',
    });
    const XDG_CONFIG_HOME = path.join(workspace.folder, 'my settings');
    const { exitCode, found } = await findings(workspace, [], { XDG_CONFIG_HOME });
    expect(exitCode).toBe(1);
    const users = path.join(XDG_CONFIG_HOME, 'orchestrate/config.yaml');
    for (const [place, mistake, file] of [
      ['.orchestrate/config.yaml:2', '`max_runs` must be a number', '.orchestrate/config.yaml'],
      ['.orchestrate/engine.yaml:1', '`poll_ms` must be', '.orchestrate/engine.yaml'],
      [`${users}:1`, '`keep` is `sometimes`', `'${users}'`],
    ])
      expect(found).toContainEqual({
        area: 'workspace',
        level: 'problem',
        message: expect.stringContaining(`\`${place}\`: ${mistake}`),
        help: expect.stringContaining(`\`orchestrate validate ${file}\``),
      });
  });

  it('explains a damaged journal and truncates it with --cut, so that the run can be resumed', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
${['A', 'B', 'C'].map((name) => `  - name: ${name}\n    command: [bash, -c, "echo ${name} >> ran.txt"]\n`).join('')}`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    const journal = path.join(workspace.runFolder(), 'journal.jsonl');
    const lines = fs.readFileSync(journal, 'utf8').split('\n');
    const damaged = lines.findIndex(
      (line) => line.includes('"type":"step-ended"') && line.includes('"key":"B"'),
    );
    lines[damaged] = (lines[damaged] ?? '').replace('"exitCode":0', '"exitCode":1');
    fs.writeFileSync(journal, lines.join('\n'));

    const refused = await workspace.run(['resume', 'last']);
    expect(refused.exitCode).toBe(1);
    const { exitCode, found } = await findings(workspace, ['last']);
    expect(exitCode).toBe(1);
    expect(found[0]?.message).toContain(`line ${damaged + 1}`);
    expect(found[1]?.message).toMatch(/^\d+ records with 1 completed steps before the damage are intact$/);

    expect(await workspace.run(['doctor', '--cut'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'error: `--cut` needs a run\nhelp: use `orchestrate doctor <run> --cut`\n',
    });
    const before = fs.readFileSync(journal);
    const held = acquireLock(path.join(workspace.runFolder(), 'lock'));
    if (held.type === 'error') throw new Error('the lock is held');
    expect(await findings(workspace, ['last', '--cut'])).toEqual({
      exitCode: 1,
      found: [
        {
          area: 'run',
          level: 'problem',
          message: `the run is being run by process ${process.pid}`,
          help: 'nothing was changed',
        },
      ],
    });
    held.value.release();
    expect(fs.readFileSync(journal).equals(before)).toBe(true);
    expect((await findings(workspace, ['last', '--cut'])).exitCode).toBe(0);
    expect(fs.existsSync(path.join(workspace.runFolder(), 'lock'))).toBe(false);
    expect(
      fs.readdirSync(workspace.runFolder()).some((name) => name.startsWith('journal.jsonl.damaged-')),
    ).toBe(true);
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
    expect(workspace.read('ran.txt')).toBe('A\nB\nC\nB\nC\n');
  });

  it('finds runs whose process is gone, and changes nothing', async () => {
    const workspace = new Workspace({ 'w.yaml': 'steps:\n  - name: A\n    command: [sleep, "60"]\n' });
    const run = workspace.start(['run', 'w.yaml']);
    await until(
      () => workspace.runs().length > 0 && workspace.journal().some(({ type }) => type === 'process-started'),
    );
    run.child.kill('SIGKILL');
    await run.ended;
    const before = workspace.list('.orchestrate');
    const { found } = await findings(workspace, []);
    expect(
      found.some(({ level, message }) => level === 'warning' && message.includes('was interrupted')),
    ).toBe(true);
    expect(workspace.list('.orchestrate')).toEqual(before);
    expect((await workspace.run(['cancel', 'last'])).exitCode).toBe(0);
  });
});
