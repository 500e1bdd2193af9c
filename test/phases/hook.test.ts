import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentEnded, calculator, contextOf, DOCUMENT, PhasesSite, VIEW } from './site.ts';

describe('a hook without a workflow', () => {
  it.each([
    ['post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' })],
    ['session-start', '{}'],
    ['stop', 'garbage'],
    ['notification', ''],
  ])('writes nothing for %s', async (event, input) => {
    const site = new PhasesSite();
    expect(await site.hook(event, input)).toEqual({ exitCode: 0, signal: null, stdout: '', stderr: '' });
    expect(site.list('.')).toEqual([]);
  });
});

describe('a failing hook', () => {
  const CORRUPTED: { readonly [what: string]: string } = {
    'half a document': '{"id":"wf_1","task":',
    'a document of another kind': '[]',
    'an empty document': '',
    'invalid phases':
      '{"id":"a","task":"t","status":"active","phases":[{"id":"../x","title":"t","status":"odd"}]}',
  };

  it.each(Object.keys(CORRUPTED))('leaves %s as it is and logs one line', async (what) => {
    const site = new PhasesSite({ [DOCUMENT]: CORRUPTED[what] ?? '' });
    const ended = await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }));
    expect(ended).toEqual({ exitCode: 0, signal: null, stdout: '', stderr: '' });
    expect(site.read(DOCUMENT)).toBe(CORRUPTED[what]);
    expect(site.list('.claude')).toEqual(['state', 'state/hook.log', 'state/workflow.json']);
    expect(site.read('.claude/state/hook.log')).toMatch(/^\S+Z post-tool-use: [^\n]+\n$/);
  });

  it.each(['', 'garbage', '[1,2]', 'null', '"text"', '{"a":', '\u0000\u0001', `${'['.repeat(50)}`])(
    'treats %j as an empty event',
    async (input) => {
      const site = await calculator();
      const before = site.read(DOCUMENT);
      expect(await site.hook('post-tool-use', input)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
      expect(site.read(DOCUMENT)).toBe(before);
      expect(site.read('.claude/state/hook.log').split('\n')).toHaveLength(2);
    },
  );

  it('treats fields of the wrong type as missing', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    const wrong = {
      ...{ hook_event_name: 7, session_id: {}, transcript_path: ['x'], cwd: 3, tool_name: 'Agent' },
      ...{ tool_input: 'x', tool_response: 4, tool_use_id: null, duration_ms: 'long', agent_id: '' },
    };
    expect(await site.hook('post-tool-use', wrong)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(site.read(DOCUMENT)).toBe(before);
  });

  it('does not break the agent if the folder is not writable', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    const state = path.join(site.folder, '.claude', 'state');
    // For root, which may write everywhere: a lock that can be neither created nor read.
    fs.mkdirSync(path.join(state, 'workflow.json.lock', 'taken'), { recursive: true });
    fs.chmodSync(state, 0o555);
    const ended = await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }));
    fs.chmodSync(state, 0o755);
    expect(ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(site.read(DOCUMENT)).toBe(before);
  });

  it.runIf(process.getuid?.() === 0)('changes nothing that belongs to another user', async () => {
    const site = await calculator();
    const before = site.list('.').map((name) => [name, fs.statSync(path.join(site.folder, name)).mtimeMs]);
    fs.chmodSync(site.folder, 0o755);
    const nobody = { uid: 65534, gid: 65534 };
    const ended = await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }), {}, nobody);
    expect(ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(site.statuses()).toEqual(['pending', 'pending']);
    expect(site.list('.').map((name) => [name, fs.statSync(path.join(site.folder, name)).mtimeMs])).toEqual(
      before,
    );
  });

  it('leaves the document to a run that drives the phases', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    const env = { ORCHESTRATE_PHASES_DRIVEN: '1' };
    await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }), env);
    expect(site.read(DOCUMENT)).toBe(before);
    expect(site.has('.claude/state/session.json')).toBe(false);
  });
});

describe('the workflow that a hook uses', () => {
  it('is in the folder the agent was started in, otherwise in its current folder', async () => {
    const event = agentEnded({ prompt: 'Phase ID: phase_0' });
    const elsewhere = new PhasesSite();
    const project = await calculator();
    await elsewhere.hook('post-tool-use', event, { CLAUDE_PROJECT_DIR: project.folder });
    expect(project.statuses()).toEqual(['completed', 'active']);
    const current = await calculator();
    const env = { CLAUDE_PROJECT_DIR: elsewhere.folder };
    await elsewhere.hook('post-tool-use', { ...event, cwd: current.folder }, env);
    expect(current.statuses()).toEqual(['completed', 'active']);
    expect(elsewhere.list('.')).toEqual([]);
  });

  it('is also found from a subfolder, but not in the home folder above', async () => {
    const event = agentEnded({ prompt: 'Phase ID: phase_0' });
    const project = await calculator();
    project.write({ 'packages/web/x': '' });
    const below = path.join(project.folder, 'packages/web');
    const elsewhere = new PhasesSite();
    const before = project.read(DOCUMENT);
    await elsewhere.hook('post-tool-use', { ...event, cwd: below }, { HOME: project.folder });
    expect(project.read(DOCUMENT)).toBe(before);
    await elsewhere.hook('post-tool-use', { ...event, cwd: below });
    expect(project.statuses()).toEqual(['completed', 'active']);
    expect(elsewhere.list('.')).toEqual([]);
  });
});

describe('the todo list of the agent', () => {
  const todos = [{ content: 'Read the task', status: 'in_progress', activeForm: 'Reading' }];
  const written = (list: readonly object[]): object => ({
    ...{ hook_event_name: 'PostToolUse', session_id: 's1', tool_name: 'TodoWrite', tool_use_id: 't' },
    ...{ tool_input: { todos: list }, tool_response: { oldTodos: [], newTodos: list } },
  });

  it('is kept beside the phases and changes no phase', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    const ended = await site.hook('post-tool-use', written(todos));
    expect(site.read(DOCUMENT)).toBe(before);
    expect(JSON.parse(site.read('.claude/state/todos.json'))).toMatchObject({ session_id: 's1', todos });
    expect(site.read(VIEW)).toContain("## The agent's own list\n\n- [ ] Read the task (in progress)\n");
    expect((await site.phases('show')).stdout).toContain('Read the task (in progress)');
    expect(contextOf(ended)).toContain('Update your todo list to match these phases:');
  });

  it('is not mentioned when it matches', async () => {
    const site = await calculator();
    await site.phases('start');
    const list = [
      { content: 'Create calculator module', status: 'in_progress', activeForm: 'Working on it' },
      { content: 'Write and run tests', status: 'pending', activeForm: 'Working on it' },
      { content: 'My own', status: 'pending', activeForm: 'x' },
    ];
    expect(await site.hook('post-tool-use', written(list))).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('is assembled from single tasks', async () => {
    const site = await calculator();
    const task = (tool_name: string, tool_input: object, tool_response: object): Promise<unknown> =>
      site.hook('post-tool-use', {
        hook_event_name: 'PostToolUse',
        session_id: 's1',
        tool_name,
        tool_input,
        tool_response,
      });
    await task(
      'TaskCreate',
      { subject: 'A', description: 'd', activeForm: 'Doing A' },
      { task: { id: '1', subject: 'A' } },
    );
    await task('TaskCreate', { subject: 'B', description: 'd' }, { task: { id: '2', subject: 'B' } });
    await task('TaskUpdate', { taskId: '1', status: 'completed' }, { success: true, taskId: '1' });
    await task('TaskUpdate', { taskId: '2', status: 'deleted' }, { success: true, taskId: '2' });
    expect(JSON.parse(site.read('.claude/state/todos.json')).todos).toEqual([
      { content: 'A', status: 'completed', activeForm: 'Doing A', id: '1' },
    ]);
  });

  it('of a subagent is ignored', async () => {
    const site = await calculator();
    await site.hook('post-tool-use', { ...written(todos), agent_id: 'a9' });
    expect(site.has('.claude/state/todos.json')).toBe(false);
  });
});

describe('a starting session', () => {
  it('gets the current phase, its context and how to report', async () => {
    const site = await calculator();
    await site.phases('start');
    await site.phases('complete', 'phase_0', '--context', 'four functions');
    const before = site.read(DOCUMENT);
    const told = contextOf(
      await site.hook('session-start', { hook_event_name: 'SessionStart', source: 'startup' }),
    );
    expect(told).toContain('Phase phase_1 (Write and run tests) is active');
    expect(told).toContain('four functions');
    expect(told).toContain('`Phase ID: phase_1`');
    expect(site.read(DOCUMENT)).toBe(before);
  });
});
