import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

describe('a secret', () => {
  it('in the context is rejected before anything is written', async () => {
    const workspace = new Workspace({
      'w.yaml': 'steps:\n  - name: A\n    command: [echo, "${context.token}"]\n',
    });
    const ended = await workspace.run(['run', 'w.yaml', '--context', 'token=supersecret99'], {
      env: { MY_TOKEN: 'supersecret99' },
    });
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain(
      'the workflow or its context contains the value of the environment variable `MY_TOKEN`',
    );
    expect(workspace.runs()).toEqual([]);
  });

  it('is rejected by every command that would store it, and no file contains it', async () => {
    const yaml = (word: string) =>
      `steps:\n  - name: A\n    command: [echo, a]\n  - name: B\n    command: [sh, -c, "echo ${word}; false"]\n`;
    const workspace = new Workspace({ 'w.yaml': yaml('harmless') });
    await workspace.run(['run', 'w.yaml']);
    workspace.write({ 'w.yaml': yaml('supersecret99') });
    for (const argv of [
      ['run-step', 'A', '--workflow', 'w.yaml'],
      ['resume', 'last', '--accept-changes'],
      ['resume', 'last', '--force-restart'],
      ['fork', 'last', '--from', 'B'],
    ]) {
      const ended = await workspace.run(argv, { env: { MY_TOKEN: 'supersecret99' } });
      expect([argv[0], ended.exitCode, ended.stderr]).toEqual([
        argv[0],
        2,
        expect.stringContaining(
          'the workflow or its context contains the value of the environment variable `MY_TOKEN`',
        ),
      ]);
    }
    expect(workspace.runs()).toHaveLength(1);
    expect(JSON.stringify(workspace.journal())).not.toContain('supersecret99');
  });

  it('is masked in every encoding a program may use, even if undeclared', async () => {
    const secret = 'hush "now" & then/again+again';
    const steps = `
  - name: Slip
    secrets: [DEPLOY]
    output_file: out.txt
    command:
      - bash
      - -c
      - |
        printf %s "$DEPLOY" | base64
        printf %s "user:$DEPLOY" | base64 -w0; echo
        printf %s "$DEPLOY" | od -An -v -tx1 | tr -d ' \\n'; echo
        echo "$DATABASE_URL $PGPASSWORD $GH_PAT $AWS_ACCESS_KEY_ID"
        printf %s "$DEPLOY" | sed 's/&/\\&amp;/g; s/"/\\&quot;/g'
`;
    const workspace = new Workspace({ 'w.yaml': `steps:${steps}` });
    const ended = await workspace.run(['run', 'w.yaml', '--verbose'], {
      env: {
        DEPLOY: secret,
        DATABASE_URL: 'postgres://app:correct-horse@db.test/app',
        PGPASSWORD: 'battery-staple',
        GH_PAT: 'ghp_0123456789',
        AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      },
    });
    expect(ended.exitCode).toBe(0);
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const forms = [
      ...[
        secret,
        secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
        Buffer.from(secret).toString('hex'),
      ],
      ...[base64(secret).slice(0, -4), base64(`user:${secret}`).slice(8, -4)],
      ...['correct-horse', 'battery-staple', 'ghp_0123456789', 'AKIAIOSFODNN7EXAMPLE'],
    ];
    const kept = workspace
      .list('.')
      .filter((name) => name !== 'w.yaml' && fs.statSync(path.join(workspace.folder, name)).isFile());
    const texts = [ended.stdout, ended.stderr, ...kept.map((name) => workspace.read(name))];
    for (const form of forms) for (const text of texts) expect(text).not.toContain(form);
    expect(workspace.read('out.txt')).toContain('postgres://app:***@db.test/app *** *** ***');
  });

  it('that equals one of our own words breaks nothing', async () => {
    const workspace = new Workspace({
      'w.yaml':
        'steps:\n  - name: A\n    secrets: [PIN]\n    command: [bash, -c, "echo $PIN completed; exit 3"]\n',
    });
    const ended = await workspace.run(['run', 'w.yaml'], { env: { PIN: 'failed' } });
    expect(ended.exitCode).toBe(1);
    expect(workspace.state()).toMatchObject({
      status: 'failed',
      steps: { A: { status: 'failed', output: '*** completed\n' } },
    });
  });
});

describe('a step named like a member of every object', () => {
  it('is shown correctly', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: toString
    command: [echo, x]
    on: {failure: {goto: constructor}}
    expect: {files: [nothing.txt]}
  - name: constructor
    command: [echo, y]
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    const { steps } = workspace.state() as unknown as { steps: Record<string, { status: string }> };
    expect(Object.keys(steps)).toEqual(['toString', 'constructor']);
    expect(steps['toString']).toMatchObject({ status: 'failed', exit_code: 3 });
    expect(steps['constructor']).toMatchObject({ status: 'completed' });
  });
});

describe('cancel', () => {
  it('sends no signal for a run held on another machine', async () => {
    const workspace = new Workspace({
      'w.yaml': 'steps:\n  - name: A\n    approve: {message: "?", choices: [yes]}\n',
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(3);
    const bystander = spawn('sleep', ['60']);
    onTestFinished(() => void bystander.kill('SIGKILL'));
    fs.writeFileSync(
      path.join(workspace.runFolder(), 'lock'),
      JSON.stringify({
        pid: bystander.pid,
        startTime: '1',
        host: `not-${os.hostname()}`,
        bootId: 'b',
        nonce: 'a'.repeat(32),
        acquiredAt: new Date().toISOString(),
      }),
    );
    const ended = await workspace.run(['cancel', 'last']);
    expect(ended.exitCode).toBe(4);
    expect(bystander.exitCode).toBeNull();
    expect(bystander.signalCode).toBeNull();
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(4);
  });
});

describe('a resumed run', () => {
  it('shows the open question and how to answer it', async () => {
    const workspace = new Workspace({
      'w.yaml': 'steps:\n  - name: A\n    approve: {message: "Ship it?", choices: [yes]}\n',
    });
    await workspace.run(['run', 'w.yaml']);
    const again = await workspace.run(['resume', 'last']);
    expect(again.exitCode).toBe(3);
    expect(again.stderr).toContain('Ship it?');
    expect(again.stderr).toContain(`orchestrate approve ${workspace.runs()[0]} A --choose yes`);
  });

  it('asks again what was asked after a failure, whatever the earlier answer', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Work
    command: [test, -f, fixed]
finally:
  - name: Keep
    approve: {message: "keep?", choices: [keep, discard]}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(3);
    expect((await workspace.run(['approve', 'last', 'Keep', '--choose', 'discard'])).exitCode).toBe(0);
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(1);
    workspace.write({ fixed: '' });
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(3);
    expect((await workspace.run(['approve', 'last', 'Keep', '--choose', 'keep'])).exitCode).toBe(0);
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
    expect(workspace.state().steps['Keep']).toMatchObject({ output: 'keep' });
  });

  it('replays agents from the cassettes it was started with', async () => {
    const workspace = new Workspace({
      'p.md': 'Say something.',
      'w.yaml': `providers:
  says: {adapter: mock, script: {answer: "recorded"}}
steps:
  - name: Agent
    provider: says
    input_file: p.md
  - name: Gate
    command: [test, -f, open]
  - name: Again
    provider: says
    input_file: p.md
`,
    });
    workspace.write({ open: '' });
    expect((await workspace.run(['run', 'w.yaml', '--record'])).exitCode).toBe(0);
    const recorded = workspace.runs()[0] ?? '';
    fs.rmSync(path.join(workspace.folder, 'open'));
    workspace.write({ 'w.yaml': workspace.read('w.yaml').replace('"recorded"', '"asked again"') });
    expect((await workspace.run(['run', 'w.yaml', '--replay', recorded])).exitCode).toBe(1);
    workspace.write({ open: '' });
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
    expect(workspace.state().steps['Again']).toMatchObject({ output: expect.stringContaining('recorded') });
  });
});

describe('a fork', () => {
  it('runs `finally` again, even after an earlier failure had run it', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Work
    command: [test, -f, fixed]
  - name: Next
    command: ["true"]
finally:
  - name: Clean
    command: [bash, -c, "echo x >> cleaned.txt"]
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(1);
    workspace.write({ fixed: '' });
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
    expect((await workspace.run(['fork', 'last', '--from', 'Next'])).exitCode).toBe(0);
    expect(workspace.read('cleaned.txt')).toBe('x\nx\nx\n');
    expect(workspace.state().steps['Work']).toMatchObject({ status: 'completed' });
  });
});

describe('queue put', () => {
  it('waits for late standard input', async () => {
    const workspace = new Workspace();
    const late = spawn('bash', ['-c', 'sleep 0.3; echo late'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const put = spawn(process.execPath, [path.resolve('bin/orchestrate.js'), 'queue', 'put', 'eng'], {
      cwd: workspace.folder,
      stdio: [late.stdout, 'ignore', 'inherit'],
    });
    const exitCode = await new Promise((resolve) => put.once('close', resolve));
    expect(exitCode).toBe(0);
    const name = workspace.list('inbox/eng').find((each) => each.endsWith('.task')) ?? '';
    expect(workspace.read(`inbox/eng/${name}`)).toBe('late\n');
  });
});
