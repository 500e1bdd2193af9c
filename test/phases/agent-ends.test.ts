import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentEnded, calculator, contextOf, DOCUMENT, PhasesSite, VIEW } from './site.ts';

describe('an agent that ends', () => {
  it('inside another agent completes no phase', async () => {
    const site = await calculator();
    await site.phases('start');
    const before = site.read(DOCUMENT);
    const inside = { ...agentEnded({ prompt: 'Phase ID: phase_0' }), agent_id: 'outer' };
    for (const hook_event_name of ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'])
      await site.hook('post-tool-use', { ...inside, hook_event_name });
    expect(site.read(DOCUMENT)).toBe(before);
  });

  it.each(['SubagentStop', 'StopFailure'])(
    'inside another agent is recognized by the file beside its transcript: %s',
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

  it('completes the phase named in its prompt, pending or not', async () => {
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
    expect(told).toContain('Context from the previous phase: four functions');
    expect(JSON.parse(told.split('\n').at(-1) ?? '')).toEqual([
      {
        content: 'Create calculator module',
        status: 'completed',
        activeForm: 'Working on Create calculator module',
      },
      { content: 'Write and run tests', status: 'in_progress', activeForm: 'Working on Write and run tests' },
    ]);
  });

  it('completes the active phase, if it is for its type, when its prompt names none', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    await site.hook('post-tool-use', agentEnded({ prompt: 'Look around.' }));
    expect(site.read(DOCUMENT)).toBe(before);
    await site.phases('start');
    await site.hook('post-tool-use', agentEnded({ prompt: 'Do it.', agentId: 'a2', useId: 'toolu_2' }));
    expect(site.statuses()).toEqual(['completed', 'active']);
  });

  it('counts once, however many hooks report it', async () => {
    const site = await calculator();
    await site.phases('start');
    const stopped = {
      hook_event_name: 'SubagentStop',
      agent_id: 'a1',
      agent_type: 'general-purpose',
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

  it('delivers the files that it names and that changed since the phase started', async () => {
    const site = await calculator();
    site.write({ 'old.py': 'old' });
    fs.utimesSync(path.join(site.folder, 'old.py'), 1000, 1000);
    await site.phases('start');
    site.write({ 'src/new.py': 'new', 'unnamed.py': '' });
    const answer = `I read old.py and wrote ${site.folder}/src/new.py, and also none.py.`;
    await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0', answer }));
    expect(site.document().phases[0]?.deliverables).toEqual(['src/new.py']);
  });

  it('does not complete a phase that started after it', async () => {
    const site = await calculator();
    await site.phases('start');
    await site.phases('complete', 'phase_0');
    const event = { ...agentEnded({ prompt: 'Do it.' }), duration_ms: 3_600_000 };
    await site.hook('post-tool-use', event);
    expect(site.statuses()).toEqual(['completed', 'active']);
  });

  it('fails its phase when it failed, and the model is shown how to continue', async () => {
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

  it('leaves its phase alone when the user stopped it', async () => {
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

  it('fails its phase when the model could not be reached, even if the tool reports success', async () => {
    const site = await calculator();
    await site.phases('start');
    await site.hook('stop-failure', {
      ...{ hook_event_name: 'StopFailure', agent_id: 'a1', agent_type: 'general-purpose', error: 'unknown' },
      last_assistant_message: 'API Error: 400 no',
    });
    await site.hook('post-tool-use', agentEnded({ prompt: 'Do it.', answer: 'API Error: 400 no' }));
    expect(site.document()).toMatchObject({ status: 'failed', phases: [{ error: 'API Error: 400 no' }, {}] });
  });

  it('in the background completes its phase only when it ends', async () => {
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

  it('starts its phase when it is started', async () => {
    const site = await calculator();
    const pre = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Agent',
      tool_input: { prompt: 'Do it.', subagent_type: 'general-purpose' },
      tool_use_id: 't',
    };
    expect(await site.hook('pre-tool-use', pre)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(site.statuses()).toEqual(['active', 'pending']);
  });
});

describe('many hooks at once', () => {
  it('lose no update: two hundred agents complete two hundred phases', async () => {
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
