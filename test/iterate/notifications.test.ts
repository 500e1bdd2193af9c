import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HttpTarget, startHttpTarget } from '../notify/http-target.ts';
import { until } from '../rig/orchestrate.ts';
import { FAIL, NO_VERIFY, Project, status, TASK } from './rig.ts';

const QUICK = { notification: { statusWatch: { debounceMs: 10 } } };

function told(target: HttpTarget): readonly string[] {
  return target.received.map(({ headers }) => String(headers['tags']).replace('claude-iterate,', ''));
}

async function projectFor(target: HttpTarget, config: object = QUICK): Promise<Project> {
  const project = new Project({ '.claude-iterate.json': JSON.stringify(config) });
  await project.task(['--notify-url', target.url]);
  return project;
}

describe('notifications of a run', () => {
  it('report every event with its headers, including changes of a status file that appears late and is replaced', async () => {
    const target = await startHttpTarget();
    const project = await projectFor(target);
    // The stand-in replaces the file by rename; it does not exist before the first iteration.
    project.agent({
      calls: [
        {
          waitFor: 'one',
          ...status({ complete: false, progress: { completed: 30, total: 60 }, summary: 'Begun' }),
        },
        {
          waitFor: 'two',
          ...status({
            complete: false,
            progress: { completed: 35, total: 60 },
            summary: 'Migrated 35/60 API endpoints',
          }),
        },
        {
          waitFor: 'three',
          ...status({ complete: true, progress: { completed: 60, total: 60 }, summary: 'All' }),
        },
      ],
    });
    const started = project.begin(['run', 'task', '--no-delay', '--no-verify']);
    await until(() => target.received.length === 2);
    project.allow('one');
    await until(() => target.received.length === 4);
    project.allow('two');
    await until(() => target.received.length === 6);
    project.allow('three');
    expect((await started.ended).exitCode).toBe(0);
    expect(told(target)).toEqual([
      'execution_start',
      'status_update',
      'iteration',
      'status_update',
      'iteration',
      'status_update',
      'iteration',
      'completion',
    ]);
    const sent = target.received.map(({ method, path: at, headers, body }) => ({
      method,
      at,
      type: headers['content-type'],
      title: headers['title'],
      priority: headers['priority'],
      tags: headers['tags'],
      body,
    }));
    const common = { method: 'POST', at: '/topic', type: 'text/plain' };
    expect(sent[0]).toEqual({
      ...common,
      title: '[task] Execution Started',
      priority: 'default',
      tags: 'claude-iterate,execution_start',
      body: 'EXECUTION STARTED\n\nMode: loop\nMax Iterations: 50',
    });
    expect(sent[1]).toEqual({
      ...common,
      title: '[task] Progress Update (Iteration 1)',
      priority: 'default',
      tags: 'claude-iterate,status_update',
      body: 'STATUS UPDATE\n\n30/60 items (+30) - Begun',
    });
    expect(sent[2]).toMatchObject({
      title: '[task] Iteration 1/50',
      body: 'ITERATION 1/50\n\nRemaining: 30\nBegun',
    });
    expect(sent[3]).toMatchObject({
      title: '[task] Progress Update (Iteration 2)',
      body: 'STATUS UPDATE\n\n35/60 items (+5) - Migrated 35/60 API endpoints',
    });
    expect(sent[5]?.body).toBe('STATUS UPDATE\n\n60/60 items (+25) - All\n✅ Complete!');
    expect(sent[7]).toEqual({
      ...common,
      title: '[task] Task Complete',
      priority: 'high',
      tags: 'claude-iterate,completion',
      body: 'TASK COMPLETE ✅\n\nIterations: 3\nAll',
    });
  });

  it('contain no credential from the status of the agent', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url]);
    const key = 'sk-live-0123456789abcdefghij';
    project.agent({ calls: [status({ complete: true, summary: `deployed with ${key}` })] });
    const ended = await project.iterate(['run', 'task', '--no-delay', '--no-verify', '--quiet'], {
      env: { DEPLOY_KEY: key },
    });
    expect(ended.exitCode).toBe(0);
    const bodies = target.received.map(({ body }) => body).join('\n');
    expect(bodies).toContain('deployed with ***');
    expect(bodies).not.toContain(key);
  });

  it('mark every tenth iteration', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url, '--notify-events', 'iteration_milestone']);
    project.agent({ calls: [status({ complete: false })] });
    await project.iterate(['run', 'task', '--no-delay', '-m', '21', '--quiet']);
    expect(target.received.map(({ body }) => body)).toEqual([
      'ITERATION MILESTONE\n\nIteration: 10/21',
      'ITERATION MILESTONE\n\nIteration: 20/21',
    ]);
  });

  it('mark an error as urgent', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url, '--notify-events', 'error,completion']);
    project.agent({ calls: [{ error: { api_error_status: 401 }, text: 'no key' }] });
    const ended = await project.iterate(['run', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(target.received).toHaveLength(1);
    expect(target.received[0]).toMatchObject({
      headers: { title: '[task] Error', priority: 'urgent', tags: 'claude-iterate,error' },
      body: 'ERROR ENCOUNTERED ⚠️\n\nIteration 1 failed: the agent is not signed in or its key was rejected: no key',
    });
  });

  it('report stagnation', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    const events = ['--notify-events', 'completion', 'error'];
    await project.task(['--mode', 'iterative', '--notify-url', target.url, ...events]);
    project.agent({ calls: [status({ complete: false, worked: false, summary: 'stuck' })] });
    await project.iterate(['run', 'task', '--no-delay', '--quiet']);
    expect(target.received).toMatchObject([
      {
        headers: { title: '[task] Task Complete', priority: 'high' },
        body: 'TASK COMPLETE ✅\n\nIterations: 2\nReason: stagnation\nstuck',
      },
    ]);
  });

  it('never delay a run, even if the service does not answer', async () => {
    const target = await startHttpTarget('silent');
    const project = new Project();
    await project.task(['--notify-url', target.url]);
    project.agent({ calls: [status({ complete: false }), { waitFor: 'go', ...status({ complete: true }) }] });
    const started = project.begin(['run', 'task', '--no-delay', '--no-verify']);
    // The second iteration is running while the first notification is still unanswered.
    await until(() => project.calls().length === 2 && target.received.length === 1);
    project.allow('go');
    const ended = await started.ended;
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(target.received).toHaveLength(1);
  });

  it('ignore timestamp-only changes unless configured otherwise', async () => {
    for (const [notifyOnlyMeaningful, expected] of [
      [true, 1],
      [false, 2],
    ] as const) {
      const target = await startHttpTarget();
      const config = { notification: { statusWatch: { debounceMs: 10, notifyOnlyMeaningful } } };
      const project = await projectFor(target, { ...config, notifyEvents: ['status_update'] });
      const value = { complete: false, summary: 'same' };
      project.agent({
        calls: [
          status({ ...value, lastUpdated: '2026-01-01T00:00:00Z' }),
          status({ ...value, lastUpdated: '2026-01-01T00:00:01Z' }, { waitFor: 'two' }),
        ],
      });
      const started = project.begin(['run', 'task', '--no-delay', '-m', '2']);
      await until(() => target.received.length === 1);
      project.allow('two');
      await started.ended;
      expect(target.received).toHaveLength(expected);
    }
  });

  it('report the result of a verification', async () => {
    const target = await startHttpTarget();
    const project = await projectFor(target, { notifyEvents: ['error'], verification: { maxAttempts: 1 } });
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ files: { [`${TASK}/verification-report.md`]: FAIL } }],
    });
    await project.iterate(['run', 'task', '--no-delay']);
    expect(target.received.map(({ body }) => body.split('\n')[0])).toEqual([
      'VERIFICATION FAILED',
      'ERROR ENCOUNTERED ⚠️',
    ]);
  });

  it('are formatted for Slack, Discord or as JSON on request', async () => {
    const target = await startHttpTarget();
    const ways: readonly (readonly [string, object])[] = [
      [`slack://${target.host}/s`, {}],
      [`discord://${target.host}/d`, {}],
      [`http://${target.host}/j`, { notify: { format: 'json' } }],
    ];
    for (const [url, config] of ways) {
      const project = new Project({ '.claude-iterate.json': JSON.stringify(config) });
      await project.task(['--notify-url', url, '--notify-events', 'execution_start']);
      project.agent({ calls: [status({ complete: false })] });
      await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '1']);
    }
    const text = '[task] Execution Started\nEXECUTION STARTED\n\nMode: loop\nMax Iterations: 1';
    expect(target.received.map(({ path: at, body }) => [at, JSON.parse(body)])).toEqual([
      ['/s', { text }],
      ['/d', { content: text }],
      [
        '/j',
        {
          event: 'execution_start',
          workspace: 'task',
          title: '[task] Execution Started',
          priority: 'default',
          tags: ['claude-iterate', 'execution_start'],
          body: 'EXECUTION STARTED\n\nMode: loop\nMax Iterations: 1',
        },
      ],
    ]);
  });

  it('never fail a run: an unreachable service is reported once', async () => {
    const project = new Project();
    await project.task(['--notify-url', 'http://127.0.0.1:1/nobody']);
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr.match(/warning: cannot notify http:\/\/127\.0\.0\.1:1\/nobody: /g)).toHaveLength(1);
  });

  it('report that a workspace is set up', async () => {
    const target = await startHttpTarget();
    const project = new Project({ 'task.md': 'Do it.\n' });
    await project.iterate(['init', 'task', '--notify-url', target.url]);
    const ended = await project.iterate(['setup', 'task', '--from', 'task.md']);
    expect(ended.exitCode).toBe(0);
    expect(target.received).toMatchObject([
      {
        headers: { title: '[task] Setup Complete' },
        body: 'WORKSPACE SETUP COMPLETE\n\nInstructions are ready.',
      },
    ]);
    expect(fs.readFileSync(path.join(project.folder, TASK, 'INSTRUCTIONS.md'), 'utf8')).toBe('Do it.\n');
    expect(project.metadata()).toMatchObject({ setupIterations: 1, totalIterations: 1 });
  });
});

describe('an address with credentials', () => {
  const PASSWORD = 'n0t-for-your-eyes';

  it('is used with them, stored in a file that only its owner can read, and shown without them', async () => {
    const target = await startHttpTarget();
    const project = new Project({ '.claude-iterate.json': JSON.stringify(QUICK) });
    const address = `http://me:${PASSWORD}@${target.host}/topic`;
    await project.task(['--notify-url', address]);
    const calls = [{ text: `I have read ${address}.`, ...status({ complete: true }) }];
    project.agent({ calls });
    const ended = [
      await project.iterate(['run', 'task', '--no-delay', '--no-verify', '--verbose']),
      await project.iterate(['show', 'task']),
      await project.iterate(['show', 'task', '--json']),
      await project.iterate(['list', '--json']),
      await project.iterate(['config', 'notifyUrl', '-w', 'task']),
      await project.iterate(['config', '-w', 'task', '--json']),
      await project.iterate(['config', 'notifyUrl', address]),
      await project.iterate(['template', 'save', 'task', 'kept']),
      await project.iterate(['template', 'show', 'kept']),
      await project.iterate(['template', 'show', 'kept', '--json']),
      await project.iterate(['init', 'other', '--notify-url', `http//me:${PASSWORD}@x`]),
    ];
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    for (const { stdout, stderr } of ended) expect(stdout + stderr).not.toContain(PASSWORD);
    expect(ended[1]?.stdout).toContain(`http://***@${target.host}/topic`);
    const basic = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`;
    expect(target.received.length).toBeGreaterThan(0);
    for (const { headers, path: asked } of target.received)
      expect([headers['authorization'], asked]).toEqual([basic, '/topic']);
    const holding = filesHolding(project.folder, PASSWORD);
    expect(holding.map(({ name }) => name)).toEqual([
      '.claude-iterate.json',
      'claude-iterate/templates/kept/template.json',
      `${TASK}/.metadata.json`,
    ]);
    expect(holding.map(({ mode }) => mode.toString(8))).toEqual(['600', '600', '600']);
  });
});

function filesHolding(folder: string, text: string): readonly { name: string; mode: number }[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, stat: fs.statSync(path.join(folder, name)) }))
    .filter(({ name, stat }) => stat.isFile() && fs.readFileSync(path.join(folder, name)).includes(text))
    .map(({ name, stat }) => ({ name, mode: stat.mode & 0o777 }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
