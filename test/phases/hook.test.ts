import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentEnded, contextOf, DOCUMENT, PhasesSite, VIEW } from './site.ts';

async function calculator(): Promise<PhasesSite> {
  const site = new PhasesSite();
  await site.create('Create calculator module::general-purpose', 'Write and run tests::tester');
  return site;
}

describe('a hook without a workflow', () => {
  it.each([
    ['post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' })],
    ['session-start', '{}'],
    ['stop', 'garbage'],
    ['notification', ''],
  ])('writes nothing at %s', async (event, input) => {
    const site = new PhasesSite();
    expect(await site.hook(event, input)).toEqual({ exitCode: 0, signal: null, stdout: '', stderr: '' });
    expect(site.list('.')).toEqual([]);
  });
});

describe('a hook that cannot do its work', () => {
  const CORRUPTED: { readonly [what: string]: string } = {
    'half a document': '{"id":"wf_1","task":',
    'a document of another kind': '[]',
    'an empty document': '',
    'phases that are none':
      '{"id":"a","task":"t","status":"active","phases":[{"id":"../x","title":"t","status":"odd"}]}',
  };

  it.each(Object.keys(CORRUPTED))('leaves %s as it is, and says so in one line', async (what) => {
    const site = new PhasesSite({ [DOCUMENT]: CORRUPTED[what] ?? '' });
    const ended = await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }));
    expect(ended).toEqual({ exitCode: 0, signal: null, stdout: '', stderr: '' });
    expect(site.read(DOCUMENT)).toBe(CORRUPTED[what]);
    expect(site.list('.claude')).toEqual(['state', 'state/hook.log', 'state/workflow.json']);
    expect(site.read('.claude/state/hook.log')).toMatch(/^\S+Z post-tool-use: [^\n]+\n$/);
  });

  it.each(['', 'garbage', '[1,2]', 'null', '"text"', '{"a":', '\u0000\u0001', `${'['.repeat(50)}`])(
    'takes %j for an event that says nothing',
    async (input) => {
      const site = await calculator();
      const before = site.read(DOCUMENT);
      expect(await site.hook('post-tool-use', input)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
      expect(site.read(DOCUMENT)).toBe(before);
      expect(site.read('.claude/state/hook.log').split('\n')).toHaveLength(2);
    },
  );

  it('takes wrong kinds of fields for missing ones', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    const wrong = {
      ...{ hook_event_name: 7, session_id: {}, transcript_path: ['x'], cwd: 3, tool_name: 'Agent' },
      ...{ tool_input: 'x', tool_response: 4, tool_use_id: null, duration_ms: 'long', agent_id: '' },
    };
    expect(await site.hook('post-tool-use', wrong)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(site.read(DOCUMENT)).toBe(before);
  });

  it('does not break the agent where the folder cannot be written to', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    const state = path.join(site.folder, '.claude', 'state');
    // For root, who may write everywhere: a lock that can be neither made nor read.
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

describe('the workflow of a hook', () => {
  it('is that of the folder the agent was started in, else of the one it is in', async () => {
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
});

describe('an agent that ends', () => {
  it('inside another has done a part of its work, and completes no phase', async () => {
    const site = await calculator();
    await site.phases('start');
    const before = site.read(DOCUMENT);
    const inside = { ...agentEnded({ prompt: 'Phase ID: phase_0' }), agent_id: 'outer' };
    for (const hook_event_name of ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'])
      await site.hook('post-tool-use', { ...inside, hook_event_name });
    expect(site.read(DOCUMENT)).toBe(before);
  });

  it.each(['SubagentStop', 'StopFailure'])(
    'inside another is known by what lies beside its transcript: %s',
    async (hook_event_name) => {
      const site = await calculator();
      await site.phases('start');
      const before = site.read(DOCUMENT);
      site.write({
        'subagents/agent-inner.meta.json': JSON.stringify({ agentType: 'general-purpose', spawnDepth: 2 }),
        'subagents/agent-outer.meta.json': JSON.stringify({ agentType: 'general-purpose', spawnDepth: 1 }),
      });
      const ends = (agent_id: string) =>
        site.hook('subagent-stop', {
          ...{ hook_event_name, agent_id, last_assistant_message: `${agent_id} is done` },
          agent_transcript_path: `${site.folder}/subagents/agent-${agent_id}.jsonl`,
        });
      await ends('inner');
      expect(site.read(DOCUMENT)).toBe(before);
      await ends('outer');
      expect(site.document().phases[0]).toMatchObject(
        hook_event_name === 'SubagentStop'
          ? { status: 'completed', context_for_next: 'outer is done', agent_ids: ['outer'] }
          : { status: 'failed', error: 'outer is done', agent_ids: ['outer'] },
      );
    },
  );

  it('completes the phase its prompt names, pending or not', async () => {
    const site = await calculator();
    const answer =
      'I wrote it.\n\nDeliverables:\n- `calculator.py`\n- add, subtract\n\nContext for next: four functions';
    const ended = await site.hook(
      'post-tool-use',
      agentEnded({ prompt: 'Do it.\nPhase ID: phase_0', answer }),
    );
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(site.document()).toMatchObject({
      status: 'active',
      current_phase: 'phase_1',
      phases: [
        {
          status: 'completed',
          deliverables: ['calculator.py', 'add, subtract'],
          context_for_next: 'four functions',
        },
        { status: 'active' },
      ],
    });
    expect(site.history().slice(1)).toMatchObject([
      { phase: 'phase_0', from: 'pending', to: 'active', by: 'hook' },
      { phase: 'phase_0', from: 'active', to: 'completed', by: 'hook' },
      { phase: 'phase_1', from: 'pending', to: 'active', by: 'hook' },
    ]);
    expect(site.read(VIEW)).toContain(
      '- [x] Phase 0: Create calculator module → calculator.py, add, subtract\n',
    );
    const told = contextOf(ended);
    expect(told).toContain('Phase phase_1 (Write and run tests) is active, for the agent `tester`.');
    expect(told).toContain('Context from the phase before it: four functions');
    expect(JSON.parse(told.split('\n').at(-1) ?? '')).toEqual([
      {
        content: 'Create calculator module',
        status: 'completed',
        activeForm: 'Working on Create calculator module',
      },
      { content: 'Write and run tests', status: 'in_progress', activeForm: 'Working on Write and run tests' },
    ]);
  });

  it('completes the active phase where its prompt names none, and none where none is active', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    await site.hook('post-tool-use', agentEnded({ prompt: 'Look around.' }));
    expect(site.read(DOCUMENT)).toBe(before);
    await site.phases('start');
    await site.hook('post-tool-use', agentEnded({ prompt: 'Do it.', agentId: 'a2', useId: 'toolu_2' }));
    expect(site.statuses()).toEqual(['completed', 'active']);
  });

  it('counts once, whoever tells of it', async () => {
    const site = await calculator();
    await site.phases('start');
    const stopped = {
      hook_event_name: 'SubagentStop',
      agent_id: 'a1',
      last_assistant_message: 'DONE|calculator.py',
    };
    await site.hook('subagent-stop', stopped);
    const after = site.read(DOCUMENT);
    expect(site.statuses()).toEqual(['completed', 'active']);
    await site.hook('post-tool-use', agentEnded({ prompt: 'Do it.', answer: 'DONE|calculator.py' }));
    await site.hook('subagent-stop', stopped);
    expect(site.read(DOCUMENT)).toBe(after);
    expect(site.document().phases[0]?.deliverables).toEqual(['calculator.py']);
  });

  it('finds files that it names and that changed since the phase began', async () => {
    const site = await calculator();
    site.write({ 'old.py': 'old' });
    fs.utimesSync(path.join(site.folder, 'old.py'), 1000, 1000);
    await site.phases('start');
    site.write({ 'src/new.py': 'new', 'unnamed.py': '' });
    const answer = `I read old.py and wrote ${site.folder}/src/new.py, and also none.py.`;
    await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0', answer }));
    expect(site.document().phases[0]?.deliverables).toEqual(['src/new.py']);
  });

  it('does not complete a phase that began after it', async () => {
    const site = await calculator();
    await site.phases('start');
    await site.phases('complete', 'phase_0');
    const event = { ...agentEnded({ prompt: 'Do it.' }), duration_ms: 3_600_000 };
    await site.hook('post-tool-use', event);
    expect(site.statuses()).toEqual(['completed', 'active']);
  });

  it('fails its phase when it failed, and the model is told how to go on', async () => {
    const site = await calculator();
    const { tool_response: _none, ...event } = agentEnded({ prompt: 'Phase ID: phase_0' }) as {
      [key: string]: unknown;
    };
    const failed = {
      ...event,
      hook_event_name: 'PostToolUseFailure',
      error: 'Agent type not found',
      is_interrupt: false,
    };
    const ended = await site.hook('post-tool-use-failure', failed);
    expect(site.document()).toMatchObject({
      status: 'failed',
      phases: [{ status: 'failed', error: 'Agent type not found' }, { status: 'pending' }],
    });
    expect(contextOf(ended)).toContain('orchestrate phases retry phase_0');
    await site.phases('retry', 'phase_0');
    await site.hook('post-tool-use-failure', failed);
    expect(site.statuses()).toEqual(['active', 'pending']);
  });

  it('leaves its phase alone when a person has stopped it', async () => {
    const site = await calculator();
    await site.phases('start');
    const before = site.read(DOCUMENT);
    const event = {
      ...agentEnded({ prompt: 'x' }),
      hook_event_name: 'PostToolUseFailure',
      is_interrupt: true,
    };
    await site.hook('post-tool-use-failure', event);
    expect(site.read(DOCUMENT)).toBe(before);
  });

  it('fails its phase when the model could not be reached, whatever the tool says afterwards', async () => {
    const site = await calculator();
    await site.phases('start');
    await site.hook('stop-failure', {
      ...{ hook_event_name: 'StopFailure', agent_id: 'a1', error: 'unknown' },
      last_assistant_message: 'API Error: 400 no',
    });
    await site.hook('post-tool-use', agentEnded({ prompt: 'Do it.', answer: 'API Error: 400 no' }));
    expect(site.document()).toMatchObject({ status: 'failed', phases: [{ error: 'API Error: 400 no' }, {}] });
  });

  it('in the background completes its phase when it really ends', async () => {
    const site = await calculator();
    const launched = { isAsync: true, status: 'async_launched', agentId: 'b1' };
    await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0', response: launched }));
    expect(site.document()).toMatchObject({ phases: [{ status: 'active', waiting_for: ['b1'] }, {}] });
    await site.hook('subagent-stop', {
      hook_event_name: 'SubagentStop',
      agent_id: 'b1',
      last_assistant_message: 'DONE|a.py',
    });
    expect(site.document()).toMatchObject({
      phases: [{ status: 'completed', deliverables: ['a.py'], waiting_for: [] }, { status: 'active' }],
    });
  });

  it('is started: its phase begins', async () => {
    const site = await calculator();
    const pre = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Agent',
      tool_input: { prompt: 'Do it.' },
      tool_use_id: 't',
    };
    expect(await site.hook('pre-tool-use', pre)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(site.statuses()).toEqual(['active', 'pending']);
  });
});

describe('many hooks at once', () => {
  it('lose no update: two hundred agents end two hundred phases', async () => {
    const site = new PhasesSite();
    const count = 200;
    const phases = Array.from({ length: count }, (_, i) => ({ title: `Part ${i}`, agent: '' }));
    site.write({ 'plan.json': JSON.stringify(phases) });
    await site.phases('create', 'Two hundred parts', '--file', 'plan.json');
    const ended = await Promise.all(
      phases.map((_, i) =>
        site.hook(
          'post-tool-use',
          agentEnded({
            prompt: `Phase ID: phase_${i}`,
            answer: `DONE|part-${i}.txt`,
            agentId: `a${i}`,
            useId: `t${i}`,
          }),
        ),
      ),
    );
    expect(ended.filter(({ exitCode, stderr }) => exitCode !== 0 || stderr !== '')).toEqual([]);
    expect(site.has('.claude/state/hook.log')).toBe(false);
    const document = site.document();
    expect(document.status).toBe('completed');
    expect(document.phases.map(({ deliverables }) => deliverables)).toEqual(
      phases.map((_, i) => [`part-${i}.txt`]),
    );
    const completions = site
      .history()
      .filter(({ to }) => to === 'completed')
      .map(({ phase }) => phase);
    expect(new Set(completions).size).toBe(count);
    expect(completions).toHaveLength(count);
    expect(site.read(VIEW)).toContain('Status: completed');
    expect(site.list('.claude').filter((name) => name.includes('.lock') || name.endsWith('.tmp'))).toEqual(
      [],
    );
  }, 180_000);
});

describe('the todo list of the agent', () => {
  const todos = [{ content: 'Read the task', status: 'in_progress', activeForm: 'Reading' }];
  const written = (list: readonly object[]): object => ({
    ...{ hook_event_name: 'PostToolUse', session_id: 's1', tool_name: 'TodoWrite', tool_use_id: 't' },
    ...{ tool_input: { todos: list }, tool_response: { oldTodos: [], newTodos: list } },
  });

  it('is kept beside the phases and changes none of them', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    const ended = await site.hook('post-tool-use', written(todos));
    expect(site.read(DOCUMENT)).toBe(before);
    expect(JSON.parse(site.read('.claude/state/todos.json'))).toMatchObject({ session_id: 's1', todos });
    expect(site.read(VIEW)).toContain("## The agent's own list\n\n- [ ] Read the task (in progress)\n");
    expect((await site.phases('show')).stdout).toContain('Read the task (in progress)');
    expect(contextOf(ended)).toContain('Bring your todo list in line with these phases:');
  });

  it('is not spoken of when it agrees', async () => {
    const site = await calculator();
    await site.phases('start');
    const list = [
      { content: 'Create calculator module', status: 'in_progress', activeForm: 'Working on it' },
      { content: 'Write and run tests', status: 'pending', activeForm: 'Working on it' },
      { content: 'My own', status: 'pending', activeForm: 'x' },
    ];
    expect(await site.hook('post-tool-use', written(list))).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('is put together from single tasks', async () => {
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

  it('of a subagent is its own affair', async () => {
    const site = await calculator();
    await site.hook('post-tool-use', { ...written(todos), agent_id: 'a9' });
    expect(site.has('.claude/state/todos.json')).toBe(false);
  });
});

describe('a session that starts', () => {
  it('is told the current phase, its context and how to report', async () => {
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
