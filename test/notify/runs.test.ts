/** Every kind of run notifies in the same way, from its own process. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { workspaceId } from '../../src/operations/serving/workspace-id.ts';
import { ask, text } from '../converse/rig.ts';
import { killAt } from '../rig/kill-at.ts';
import { type Ended, until, Workspace } from '../rig/orchestrate.ts';
import { commandTask } from '../session/rig.ts';
import { type HttpTarget, startHttpTarget } from './http-target.ts';

const USER_CONFIG = '.config/orchestrate/config.yaml';
const ASKS =
  'name: ship\nsteps:\n  - name: Release\n    approve: { message: "Ship it?", choices: [yes, no] }\n  - { name: Publish, command: [echo, published] }\n';

interface Sent {
  readonly event: string;
  readonly [field: string]: unknown;
}

function sent(target: HttpTarget): readonly Sent[] {
  return target.received.map(({ body }) => JSON.parse(body) as Sent);
}

function events(target: HttpTarget): readonly string[] {
  return sent(target).map(({ event }) => event);
}

/** The user's own settings notify the target of everything. */
function workspaceFor(
  target: HttpTarget,
  files: { readonly [path: string]: string } = {},
  more = '',
): Workspace {
  return new Workspace({
    [USER_CONFIG]: `${more}notify: { url: "${target.url}", format: json, events: [all] }\n`,
    ...files,
  });
}

async function ok(workspace: Workspace, argv: readonly string[]): Promise<Ended> {
  const ended = await workspace.run(argv);
  expect(ended.exitCode, `${argv.join(' ')}\n${ended.stderr}`).toBe(0);
  return ended;
}

describe('a run of every kind', () => {
  it('a workflow says that it waits, with its question, its choices and the page, and later that it completed', async () => {
    const target = await startHttpTarget();
    const workspace = workspaceFor(
      target,
      { 'ship.yaml': ASKS },
      'serve: { public_url: "https://runs.example.com" }\n',
    );
    expect((await workspace.run(['run', 'ship.yaml', '--quiet'])).exitCode).toBe(3);
    const [runId = ''] = workspace.runs();
    const url = `https://runs.example.com/w/${workspaceId(workspace.folder)}/runs/${runId}`;
    const folder = path.basename(workspace.folder);
    expect(sent(target)).toEqual([
      {
        ...{ event: 'waiting', workspace: folder, title: '[ship] Question', priority: 'high' },
        tags: ['orchestrate', 'waiting'],
        body: `Ship it?\n\nChoices: yes, no\nAnswer: ${url}\n\nRun: ${runId} (${folder})`,
        id: `${runId} waiting Release`,
        ...{ run_id: runId, kind: 'workflow', step: 'Release', question: 'Ship it?' },
        ...{ choices: ['yes', 'no'], url },
      },
    ]);
    await ok(workspace, ['approve', runId, 'Release', '--choose', 'yes']);
    await ok(workspace, ['resume', runId, '--quiet']);
    expect(events(target)).toEqual(['waiting', 'resumed', 'completed']);
    expect(sent(target)[2]?.['body']).toMatch(/^Completed in .*\.\nhttps:\/\/runs\.example\.com\/w\//);
  });

  it('without a public address the message has the command that answers', async () => {
    const target = await startHttpTarget();
    const workspace = workspaceFor(target, { 'ship.yaml': ASKS });
    await workspace.run(['run', 'ship.yaml', '--quiet']);
    expect(sent(target)[0]?.['body']).toContain(
      `\nAnswer: orchestrate approve ${workspace.runs()[0]} Release --choose yes\n`,
    );
  });

  it('a workflow that fails, one over its budget, and one that waits for a usage limit', async () => {
    const target = await startHttpTarget();
    const at = new Date(Date.now() + 1500).toISOString();
    const workspace = workspaceFor(target, {
      'fails.yaml': 'name: fails\nsteps:\n  - { name: Build, command: [bash, -c, "exit 3"] }\n',
      'dear.yaml':
        'name: dear\nbudget: { usd: 0.01 }\nproviders: { mock: { script: { answer: a, cost_usd: 0.5 } } }\nsteps:\n  - { name: A, provider: mock, prompt: x }\n  - { name: B, provider: mock, prompt: x }\n',
      'limit.yaml': `name: limit\nproviders:\n  mock:\n    script: { attempts: [{ outcome: rate-limited, resets_at: "${at}" }, { answer: done }] }\nsteps:\n  - { name: Ask, provider: mock, prompt: x, retries: 0 }\n`,
    });
    expect((await workspace.run(['run', 'fails.yaml', '--quiet'])).exitCode).toBe(1);
    expect((await workspace.run(['run', 'dear.yaml', '--quiet'])).exitCode).toBe(1);
    await ok(workspace, ['run', 'limit.yaml', '--quiet']);
    expect(events(target)).toEqual(['failed', 'budget', 'limit-wait', 'completed']);
    const [failed, budget, limit] = sent(target);
    expect(failed).toMatchObject({ title: '[fails] Failed', priority: 'high' });
    expect(failed?.['body']).toContain('Build');
    expect(budget?.['body']).toContain('Cost: $0.5000');
    expect(limit?.['body']).toMatch(/^Ask: usage limit: waiting until /);
  });

  it('a loop, a session, phases and a conversation', async () => {
    const target = await startHttpTarget();
    const workspace = workspaceFor(target, {
      'loop.sh': `cat > /dev/null\necho '{"complete": true}' > claude-iterate/workspaces/task/.status.json\n`,
      'phase.sh': `cat > /dev/null\necho '{"status": "completed", "deliverables": [], "context_for_next": "", "error": ""}'\n`,
      'talk/config/workflow.yaml': stringify({
        ...{ task: 'Do it', max_iterations: 3 },
        agent: {
          name: 'mock',
          script: {
            cases: [
              { prompt: 'This is iteration 1 of', structured: { content: [ask('t1', 'wait', {})] } },
              { prompt: 'This is iteration 2 of', structured: { content: [text('Done.')] } },
            ],
          },
        },
      }),
      'talk/config/tools.yaml': stringify({ tools: [{ name: 'wait', command: ['true'] }] }),
    });
    await ok(workspace, ['iterate', 'init', 'task']);
    workspace.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n' });
    const script = (name: string) => `sh '${path.join(workspace.folder, name)}'`;
    await ok(workspace, [
      'iterate',
      'run',
      'task',
      '--agent',
      script('loop.sh'),
      '--no-verify',
      '--no-delay',
    ]);
    await ok(workspace, ['session', 'start', 'Work']);
    workspace.write({
      '.workflow/WFS-work/.task/IMPL-1.json': JSON.stringify(commandTask('IMPL-1', 'true')),
    });
    await ok(workspace, ['execute', '--trust', '--quiet']);
    await ok(workspace, ['phases', 'create', 'A task', '--phase', 'Only one']);
    await ok(workspace, ['phases', 'run', '--agent', script('phase.sh'), '--quiet']);
    await ok(workspace, ['converse', 'run', 'talk', '--trust']);
    expect(sent(target).map(({ event, kind }) => `${event} ${String(kind)}`)).toEqual([
      'completed iterate',
      'completed session',
      'completed phases',
      'completed converse',
    ]);
  });

  it('a dry run and a single step alone send nothing', async () => {
    const target = await startHttpTarget();
    const workspace = workspaceFor(target, {
      'a.yaml': 'name: a\nsteps:\n  - { name: A, command: ["true"] }\n',
    });
    await ok(workspace, ['run', 'a.yaml', '--dry-run', '--quiet']);
    await ok(workspace, ['run-step', 'A', '--workflow', 'a.yaml', '--quiet']);
    await ok(workspace, ['run', 'a.yaml', '--quiet']);
    expect(events(target)).toEqual(['completed']);
  });
});

describe('where messages go', () => {
  it('a workflow names an address with credentials, which no file and no output has', async () => {
    const target = await startHttpTarget();
    const workspace = new Workspace({
      'w.yaml': `name: w\nnotify: { url: "http://me:s3cr3t-word@${target.host}/topic", events: [waiting] }\nsteps:\n  - name: Ask\n    approve: { message: "Go?" }\n  - { name: Leak, command: [cat, w.yaml] }\n`,
    });
    const ended = await workspace.run(['run', 'w.yaml', '--verbose']);
    const [runId = ''] = workspace.runs();
    await ok(workspace, ['approve', runId, 'Ask', '--choose', 'approve']);
    const resumed = await ok(workspace, ['resume', runId, '--verbose']);
    expect(target.received).toHaveLength(1);
    const [{ headers = {}, body = '' } = {}] = target.received;
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from('me:s3cr3t-word').toString('base64')}`,
      title: '[w] Question',
      priority: 'high',
      tags: 'orchestrate,waiting',
    });
    expect(body).toContain('Go?');
    const files = workspace.list('.orchestrate').filter((name) => isFile(workspace, name));
    const all = files.map((name) => workspace.read(`.orchestrate/${name}`)).join('\n');
    for (const said of [all, ended.stdout, ended.stderr, resumed.stdout, resumed.stderr])
      expect(said).not.toContain('s3cr3t-word');
  });

  it('an address in an environment variable, a program, the desktop; each for its own events', async () => {
    const target = await startHttpTarget();
    const workspace = new Workspace({
      'w.yaml': `name: w
notify:
  - { url_env: HOOK, format: slack, events: [completed] }
  - { command: [bash, -c, "cat >> got; echo \\"$ORCHESTRATE_NOTICE_EVENT $ORCHESTRATE_NOTICE_RUN\\" >> variables"], events: [all] }
  - { format: desktop, events: [failed, completed] }
  - bell
steps:
  - { name: A, command: ["true"] }
`,
      'bin/notify-send': '#!/bin/sh\nprintf "%s|" "$@" > shown\n',
    });
    fs.chmodSync(path.join(workspace.folder, 'bin/notify-send'), 0o755);
    const env = { HOOK: target.url, PATH: `${workspace.folder}/bin:${process.env['PATH']}` };
    const ended = await workspace.run(['run', 'w.yaml', '--quiet'], { env });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    const [runId = ''] = workspace.runs();
    expect(target.received.map(({ body }) => JSON.parse(body).text)).toEqual([
      expect.stringContaining('[w] Completed\nCompleted in '),
    ]);
    expect(JSON.parse(workspace.read('got'))).toMatchObject({ event: 'completed', run_id: runId });
    expect(workspace.read('variables')).toBe(`completed ${runId}\n`);
    expect(workspace.read('shown')).toMatch(
      /^--app-name=Orchestrate\|--urgency=normal\|--\|\[w\] Completed\|Completed in /,
    );
  });

  it('the file of a workspace is not used before the user has trusted it', async () => {
    const target = await startHttpTarget();
    const config = `notify: { url: "${target.url}", format: json }\n`;
    const workspace = new Workspace({
      '.orchestrate/config.yaml': config,
      'a.yaml': 'name: a\nsteps:\n  - { name: A, command: ["true"] }\n',
    });
    const first = await ok(workspace, ['run', 'a.yaml', '--quiet']);
    expect(first.stderr).toBe(
      'warning: `.orchestrate/config.yaml` sets notifications that you have not trusted, so they are not sent; review them, then use `--trust`\n',
    );
    expect(target.received).toEqual([]);
    await ok(workspace, ['run', 'a.yaml', '--quiet', '--trust']);
    expect(await ok(workspace, ['run', 'a.yaml', '--quiet'])).toMatchObject({ stderr: '' });
    expect(events(target)).toEqual(['completed', 'completed']);
    workspace.write({ '.orchestrate/config.yaml': config.replace('/topic', '/other') });
    await ok(workspace, ['run', 'a.yaml', '--quiet']);
    expect(target.received).toHaveLength(2);
  });

  it('a service that rejects them, a program that fails and a variable that is not set never fail a run', async () => {
    const target = await startHttpTarget(403);
    const workspace = new Workspace({
      'w.yaml': `name: w\nnotify: [{ url: "http://me:word@${target.host}/t" }, { command: ["false"] }, { url_env: NOT_SET }]\nsteps:\n  - { name: A, command: ["true"] }\n`,
    });
    const { stderr } = await ok(workspace, ['run', 'w.yaml', '--quiet']);
    expect(stderr.trimEnd().split('\n').sort()).toEqual([
      `warning: cannot notify http://${target.host}/t: the service answered HTTP 403`,
      'warning: cannot notify with `false`: it ended with exit code 1',
      'warning: cannot notify: the environment variable `NOT_SET` is not set',
    ]);
    expect(workspace.state().status).toBe('completed');
  });
});

describe('a kill', () => {
  it('after a question was recorded: the process that takes up the run sends the message, once', async () => {
    const target = await startHttpTarget();
    const workspace = workspaceFor(target, { 'ship.yaml': ASKS });
    // The message is due, and is not sent.
    const killed = await workspace.run(['run', 'ship.yaml', '--quiet'], {
      env: killAt({ when: 'after', kind: 'write', file: 'notices.jsonl', number: 1 }),
    });
    expect(killed.signal).toBe('SIGKILL');
    expect(events(target)).toEqual([]);
    expect((await workspace.run(['resume', 'last', '--quiet'])).exitCode).toBe(3);
    expect((await workspace.run(['resume', 'last', '--quiet'])).exitCode).toBe(3);
    expect(events(target).filter((event) => event === 'waiting')).toHaveLength(1);
  });

  it('before it was recorded as due: the same', async () => {
    const target = await startHttpTarget();
    const workspace = workspaceFor(target, { 'ship.yaml': ASKS });
    const killed = await workspace.run(['run', 'ship.yaml', '--quiet'], {
      env: killAt({ when: 'before', kind: 'write', file: 'notices.jsonl', number: 1 }),
    });
    expect(killed.signal).toBe('SIGKILL');
    expect((await workspace.run(['resume', 'last', '--quiet'])).exitCode).toBe(3);
    expect(events(target).filter((event) => event === 'waiting')).toHaveLength(1);
  });

  it.each([
    ['completed', '"true"'],
    ['failed', '"false"'],
  ])(
    'at the end of a run that %s: the keeper sends the message, once, and the run stays as it is',
    async (status, command) => {
      const target = await startHttpTarget();
      const workspace = workspaceFor(target, {
        'a.yaml': `name: a\nsteps:\n  - { name: A, command: [${command}] }\n`,
      });
      const killed = await workspace.run(['run', 'a.yaml', '--quiet'], {
        env: killAt({ when: 'after', kind: 'write', file: 'notices.jsonl', number: 1 }),
      });
      expect(killed.signal).toBe('SIGKILL');
      const [runId = ''] = workspace.runs();
      const before = workspace.journal(runId).length;
      const keeper = workspace.start(['keep']);
      await until(() => target.received.length > 0);
      await until(() => workspace.read(`.orchestrate/runs/${runId}/notices.jsonl`).includes('"settled"'));
      keeper.child.kill('SIGTERM');
      expect((await keeper.ended).stderr).toContain(
        `sending notifications of run ${runId}: a notification was not sent`,
      );
      const again = workspace.start(['keep']);
      await until(() => workspace.has('.orchestrate/keeper/journal.jsonl'));
      again.child.kill('SIGTERM');
      await again.ended;
      expect(events(target)).toEqual([status]);
      expect(workspace.journal(runId)).toHaveLength(before);
    },
  );
});

function isFile(workspace: Workspace, name: string): boolean {
  return fs.lstatSync(path.join(workspace.folder, '.orchestrate', name)).isFile();
}
