/** A session with the official client: every tool, every resource, and errors. */

import fs from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import { DOCUMENT, PhasesSite, VIEW } from '../phases/site.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { call, connect } from './client.ts';

const NAMES = [
  ...['workflow_get', 'phase_start', 'phase_complete', 'phase_fail', 'phase_retry', 'phase_reopen'],
  ...['task_list', 'task_get', 'task_create', 'task_update', 'session_list', 'status_write'],
  ...['queue_put', 'queue_take', 'queue_done', 'queue_fail'],
  ...['runs_list', 'costs_get', 'run_get', 'run_follow', 'run_log', 'run_start', 'run_resume'],
];

describe('orchestrate mcp', () => {
  it('reports its name and lists its tools', async () => {
    const client = await connect(new PhasesSite());
    expect(client.getServerVersion()).toMatchObject({ name: 'orchestrate' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
    for (const tool of tools) {
      expect(tool.description, tool.name).toMatch(/\S+ .*\.$/);
      expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('lets an agent report its phases', async () => {
    const site = new PhasesSite();
    await site.create('First::engineer', 'Second');
    const client = await connect(site);
    expect((await call(client, 'workflow_get')).value).toMatchObject({ status: 'pending', todos: [] });
    expect((await call(client, 'phase_start', { phase: 'phase_0' })).value.current_phase).toBe('phase_0');
    const done = { phase: 'phase_0', deliverables: ['a.py'], context_for_next: 'it works' };
    expect((await call(client, 'phase_complete', done)).value).toMatchObject({
      current_phase: 'phase_1',
      phases: [{ status: 'completed', deliverables: ['a.py'], context_for_next: 'it works' }, {}],
    });
    expect((await call(client, 'phase_fail', { phase: 'phase_1', error: 'no disk' })).value.status).toBe(
      'failed',
    );
    expect(site.document().phases[1]).toMatchObject({ status: 'failed', error: 'no disk' });
    expect(site.history().at(-1)).toMatchObject({ phase: 'phase_1', to: 'failed', by: 'mcp' });
    expect((await call(client, 'phase_retry', { phase: 'phase_1' })).value.current_phase).toBe('phase_1');
    expect((await call(client, 'phase_reopen', { phase: 'phase_0' })).value.current_phase).toBe('phase_0');
    const again = await call(client, 'phase_complete', { phase: 'phase_0', context: 'it works again' });
    expect(again.value.phases[0].context_for_next).toBe('it works again');
  });

  it('lets agents pass tasks to each other', async () => {
    const site = new PhasesSite();
    const client = await connect(site);
    await call(client, 'queue_put', { agent: 'engineer', task: 'Fix the typo.' });
    await call(client, 'queue_put', { agent: 'engineer', task: 'Second.' });
    const first = await call(client, 'queue_take', { agent: 'engineer' });
    expect(first.value.task).toBe('Fix the typo.');
    const done = await call(client, 'queue_done', { path: first.value.path });
    expect(site.read(done.value.path)).toBe('Fix the typo.');
    const second = await call(client, 'queue_take', { agent: 'engineer' });
    const failed = await call(client, 'queue_fail', { path: second.value.path });
    expect(failed.value.path).toMatch(/^failed\//);
    expect((await call(client, 'queue_take', { agent: 'engineer' })).value).toEqual({ task: null });
    const outside = path.join(temporaryFolder(), 'task.md');
    fs.writeFileSync(outside, 'Not theirs.');
    for (const taken of [outside, path.relative(site.folder, outside)])
      expect(await call(client, 'queue_done', { path: taken })).toMatchObject({ isError: true });
    expect(fs.readFileSync(outside, 'utf8')).toBe('Not theirs.');
    expect(await call(client, 'queue_put', { agent: '../x', task: 'y' })).toMatchObject({ isError: true });
  });

  it('shows the tasks of a session and changes them', async () => {
    const site = new PhasesSite();
    expect(await site.run(['session', 'start', 'Add a login page'])).toMatchObject({ exitCode: 0 });
    const made = await site.run(['task', 'create', '--title', 'Parse tokens', '--focus', 'src']);
    expect(made).toMatchObject({ exitCode: 0 });
    const id = made.stdout.trim();
    const client = await connect(site);
    const list = await call(client, 'task_list', { ready: true });
    expect(JSON.stringify(list.value)).toContain(id);
    expect((await call(client, 'task_get', { task: id })).value).toMatchObject({ id, title: 'Parse tokens' });
    const created = { title: 'Check tokens', depends_on: [id], acceptance: ['it is checked'] };
    const added = await call(client, 'task_create', created);
    expect(added.value).toMatchObject({ title: 'Check tokens', context: { depends_on: [id] } });
    expect((await call(client, 'session_list')).value.sessions).toMatchObject([{ done: 0, total: 2 }]);
    const updated = await call(client, 'task_update', { task: id, title: 'Parse all tokens' });
    expect(updated.value.title).toBe('Parse all tokens');
    expect(await call(client, 'task_get', { task: '--help' })).toMatchObject({ isError: true });
    expect(await call(client, 'task_get', { task: 'IMPL-99' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('task `IMPL-99` not found'),
    });
    expect(await call(client, 'task_get', { task: 'deployment' })).toMatchObject({
      text: 'task `deployment` not found; list the tasks with `task_list`',
    });
  });

  it('writes the status of an iterate workspace and keeps fields of others', async () => {
    const site = new PhasesSite();
    expect(await site.run(['iterate', 'init', 'demo'])).toMatchObject({ exitCode: 0 });
    const client = await connect(site);
    const first = { workspace: 'demo', complete: false, progress: { completed: 1, total: 3 }, worked: true };
    expect(await call(client, 'status_write', first)).toMatchObject({ isError: false });
    const file = site.list('.').find((name) => name.endsWith('demo/.status.json')) ?? '';
    const written = JSON.parse(site.read(file));
    expect(written).toMatchObject({ complete: false, progress: { completed: 1, total: 3 }, worked: true });
    site.write({ [file]: JSON.stringify({ ...written, mine: 1 }) });
    await call(client, 'status_write', { workspace: 'demo', complete: true, summary: 'all of it' });
    expect(JSON.parse(site.read(file))).toMatchObject({
      complete: true,
      worked: true,
      summary: 'all of it',
      mine: 1,
    });
    expect(await call(client, 'status_write', { workspace: 'none', complete: true })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Workspace not found: none'),
    });
  });

  it('reports file system errors with the same message and advice as the command', async () => {
    const site = new PhasesSite();
    site.write({ '.orchestrate/runs': 'a file where a folder should be' });
    const refused = await call(await connect(site), 'runs_list');
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(
      /^`.*\/\.orchestrate\/runs`: a part of the path is not a folder \(ENOTDIR\); move the file that is in the place of that folder$/,
    );
  });

  it('shows runs and answers their questions', async () => {
    const yaml =
      'name: ask\nsteps:\n  - name: Release\n    approve: { message: "Release it?", choices: [yes, no] }\n';
    const site = new PhasesSite({ 'ask.yaml': yaml });
    expect(await site.run(['run', 'ask.yaml', '--quiet'])).toMatchObject({ exitCode: 3 });
    const client = await connect(site, '--allow', 'run_approve');
    const { value } = await call(client, 'runs_list', { status: 'waiting' });
    expect(value.runs).toMatchObject([{ kind: 'workflow', waiting_for: ['Release'] }]);
    const run = value.runs[0].run_id;
    expect((await call(client, 'run_get', { run })).value).toMatchObject({ run_id: run, status: 'waiting' });
    expect(await call(client, 'run_approve', { run, step: 'Release', choice: 'maybe' })).toMatchObject({
      isError: true,
      text: 'unknown choice `maybe` for `Release`; choose one of yes, no',
      data: { problem: { kind: 'invalid', type: 'no-such-choice', key: 'Release', choices: ['yes', 'no'] } },
    });
    expect(await call(client, 'run_get', { run: '2020' })).toMatchObject({
      isError: true,
      text: `run \`2020\` not found; newest runs: \`${run}\`; \`runs_list\` lists all`,
      data: { problem: { kind: 'not-found', type: 'no-such-run', asked: '2020', newest: [run] } },
    });
    const answered = await call(client, 'run_approve', {
      run,
      step: 'Release',
      choice: 'yes',
      comment: '--by=x',
      by: 'Alice',
    });
    expect(answered).toMatchObject({
      isError: false,
      value: { run_id: run, step: 'Release', choice: 'yes', taken_up: false },
    });
    expect(await call(client, 'run_approve', { run, step: 'Release', choice: 'yes' })).toMatchObject({
      isError: true,
      data: { problem: { kind: 'conflict', type: 'already-answered' } },
    });
    expect(await site.run(['resume', run, '--quiet'])).toMatchObject({ exitCode: 0 });
    expect(site.journal(run).find(({ type }) => type === 'question-answered')).toMatchObject({
      answer: { choice: 'yes', comment: '--by=x', by: 'agent' },
    });
  });

  it('returns the readable part of a damaged run, and where it is damaged', async () => {
    const yaml =
      'name: two\nsteps:\n  - { name: A, command: [echo, a] }\n  - { name: B, command: [echo, b] }\n';
    const site = new PhasesSite({ 'w.yaml': yaml });
    await site.run(['run', 'w.yaml', '--quiet']);
    const file = `.orchestrate/runs/${site.runs()[0]}/journal.jsonl`;
    const lines = site.read(file).split('\n');
    const at = lines.findLastIndex((line) => line.includes('step-ended'));
    site.write({
      [file]: lines.map((line, index) => (index === at ? line.replace('step-ended', '') : line)).join('\n'),
    });
    const client = await connect(site);
    const { value, isError } = await call(client, 'run_get', { run: 'last' });
    expect(isError).toBe(false);
    expect(value).toMatchObject({
      process_alive: false,
      steps: { A: { status: 'completed' } },
      damage: { kind: 'failed', type: 'damaged-run', damage: 'damaged-record', line: at + 1 },
    });
    expect((await call(client, 'runs_list')).value.runs).toMatchObject([{ status: 'damaged' }]);
  });

  it('serves the documents as resources', async () => {
    const site = new PhasesSite();
    await site.create('First');
    const client = await connect(site);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'orchestrate://phases/workflow.json',
      'orchestrate://phases/view.md',
      'orchestrate://phases/history.jsonl',
    ]);
    const { contents } = await client.readResource({ uri: 'orchestrate://phases/workflow.json' });
    expect(contents).toEqual([
      { uri: 'orchestrate://phases/workflow.json', mimeType: 'application/json', text: site.read(DOCUMENT) },
    ]);
    expect(await site.run(['phases', 'run', '--agent', 'mock', '--quiet'])).toMatchObject({ exitCode: 0 });
    const run = await client.readResource({ uri: `orchestrate://runs/${site.runs()[0]}` });
    expect(run.contents[0]).toMatchObject({ text: expect.stringContaining('"kind": "phases"') });
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    for (const uri of [
      'orchestrate://nothing',
      'file:///etc/passwd',
      'orchestrate://runs/..',
      'orchestrate://tasks/x',
    ])
      await expect(client.readResource({ uri }), uri).rejects.toThrow();
  });

  it('names a missing document', async () => {
    const client = await connect(new PhasesSite());
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.readResource({ uri: 'orchestrate://phases/workflow.json' })).rejects.toThrow(
      '`phases/workflow.json` not found: this workspace does not have it yet',
    );
  });

  it.each(['phases/view.md', 'phases/history.jsonl'])('does not follow a link at %s', async (name) => {
    const site = new PhasesSite();
    await site.create('First');
    const outside = path.join(temporaryFolder(), 'secret');
    fs.writeFileSync(outside, 'secret\n');
    const file = name.endsWith('.md') ? VIEW : '.claude/state/workflow-history.jsonl';
    site.remove(file);
    fs.symlinkSync(outside, path.join(site.folder, file));
    const client = await connect(site);
    await expect(client.readResource({ uri: `orchestrate://${name}` })).rejects.toThrow(
      'its path contains a symbolic link; replace the link with a real file or folder (ELOOP)',
    );
    await call(client, 'phase_start', { phase: 'phase_0' });
    expect(fs.readFileSync(outside, 'utf8')).toBe('secret\n');
  });

  it('reports invalid arguments and keeps running', async () => {
    const site = new PhasesSite();
    await site.create('First');
    const before = site.read(DOCUMENT);
    const client = await connect(site);
    const wrong: readonly [string, { [key: string]: unknown }, string][] = [
      [
        'phase_start',
        {},
        'missing argument `phase`; `phase`: phase id: phase_0, phase_1, …; arguments: phase',
      ],
      ['phase_start', { phase: 7 }, '`phase`: expected string, found number; `phase`: phase id'],
      ['phase_start', { phase: 'phase_0', extra: true }, 'unknown argument `extra`; arguments: phase'],
      ['phase_start', { phse: 'phase_0' }, 'unknown argument `phse`; did you mean `phase`?'],
      ['phase_start', { phase: 'phase_9' }, 'unknown phase `phase_9`; phases: phase_0'],
      ['phase_complete', { phase: 'phase_0', deliverables: 'a.py' }, '`deliverables`: expected array'],
      ['phase_complete', { phase: 'phase_0', context_for_nxt: 'x' }, 'did you mean `context_for_next`?'],
      ['phase_complete', { phase: 'phase_0', context: 'x', context_for_next: 'y' }, 'give one of them'],
      ['workflow_get', { phase: 'phase_0' }, 'unknown argument `phase`; `workflow_get` takes no arguments'],
      ['runs_list', { status: 'odd' }, '`status`: one of running, waiting'],
      ['runs_list', { since: 'soon' }, '`since` is not a time: `soon`; write it like'],
      ['run_get', { run: 'none' }, 'no runs'],
      ['status_write', { workspace: 'x' }, 'missing argument `complete`'],
    ];
    for (const [name, given, text] of wrong) {
      const answered = await call(client, name, given);
      expect(answered.isError, `${name} ${JSON.stringify(given)}`).toBe(true);
      expect(answered.text).toContain(text);
      expect(answered.data.problem.kind).toMatch(/invalid|not-found/);
    }
    await expect(client.callTool({ name: 'phase_strat', arguments: {} })).rejects.toThrow(
      'did you mean `phase_start`?',
    );
    expect(site.read(DOCUMENT)).toBe(before);
    expect((await call(client, 'workflow_get')).isError).toBe(false);
  });

  it('loses nothing with two clients at once', async () => {
    const site = new PhasesSite();
    const clients = await Promise.all([connect(site), connect(site)]);
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        call(clients[i % 2] as Client, 'queue_put', { agent: 'engineer', task: `task ${i}` }),
      ),
    );
    expect(site.list('inbox/engineer').filter((name) => name.endsWith('.task'))).toHaveLength(40);
  });
});
