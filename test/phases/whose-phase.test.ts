/** Which subagents count for a phase, which events say nothing, and how a wrong completion is undone. */
import { describe, expect, it } from 'vitest';
import { agentEnded, contextOf, DOCUMENT, PhasesSite } from './site.ts';

const LOG = '.claude/state/hook.log';

async function siteWith(...phases: readonly string[]): Promise<PhasesSite> {
  const site = new PhasesSite();
  await site.create(...phases);
  return site;
}

const ofType = (subagent_type: string | undefined, event: object): object => ({
  ...event,
  tool_input: { description: 'a phase', prompt: 'Do it.', subagent_type },
});

describe('a subagent without a phase in its prompt', () => {
  it.each([
    ['Explore', 'general-purpose', false],
    ['general-purpose', 'general-purpose', true],
    ['Explore', '*', true],
    ['Explore', '', false],
    [undefined, 'general-purpose', false],
    [undefined, '*', true],
  ])('of type %s counts for a phase of `%s`: %s', async (type, agent, counts) => {
    const site = await siteWith(`First::${agent}`, 'Second');
    await site.hook('pre-tool-use', ofType(type, { hook_event_name: 'PreToolUse', tool_name: 'Agent' }));
    expect(site.statuses()).toEqual(counts ? ['active', 'pending'] : ['pending', 'pending']);
    await site.phases('next');
    await site.hook('post-tool-use', ofType(type, agentEnded({ prompt: '' })));
    expect(site.statuses()).toEqual(counts ? ['completed', 'active'] : ['active', 'pending']);
    expect(site.has(LOG)).toBe(false);
  });

  it.each([
    ['Explore', 'active'],
    ['tester', 'completed'],
  ])('that ends in the background is known by its type: %s', async (agent_type, status) => {
    const site = await siteWith('First::tester', 'Second');
    await site.phases('start');
    await site.hook('subagent-stop', {
      ...{ hook_event_name: 'SubagentStop', agent_id: 'a1', agent_type, last_assistant_message: 'Done.' },
    });
    expect(site.statuses()[0]).toBe(status);
  });

  it('does not fail a phase of another type either', async () => {
    const site = await siteWith('First::tester', 'Second');
    await site.phases('start');
    const failed = { ...agentEnded({ prompt: '' }), hook_event_name: 'PostToolUseFailure', error: 'no' };
    await site.hook('post-tool-use-failure', ofType('Explore', failed));
    expect(site.statuses()).toEqual(['active', 'pending']);
  });

  it('counts for the phase that its prompt names, whatever its type', async () => {
    const site = await siteWith('First::tester', 'Second');
    await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }));
    expect(site.statuses()).toEqual(['completed', 'active']);
  });
});

describe('an event that does not say how the agent ended', () => {
  it.each<[string, object]>([
    ['no response', {}],
    ['null', { tool_response: null }],
    ['a number', { tool_response: 4 }],
    ['an empty text', { tool_response: '' }],
    ['an object without an answer', { tool_response: { status: 'completed', agentId: 'a1' } }],
    ['a list of numbers', { tool_response: { content: [1, 2] } }],
  ])('changes nothing and is logged: %s', async (_what, response) => {
    const site = await siteWith('First::general-purpose', 'Second');
    await site.phases('start');
    const before = site.read(DOCUMENT);
    const { tool_response: _none, ...event } = agentEnded({ prompt: 'Phase ID: phase_0' }) as {
      readonly [key: string]: unknown;
    };
    expect(await site.hook('post-tool-use', { ...event, ...response })).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect(site.read(DOCUMENT)).toBe(before);
    expect(site.read(LOG)).toMatch(
      /^\S+Z post-tool-use: the event has (no response|a response of unknown shape), so no phase was changed\n$/,
    );
  });

  it('changes nothing and is logged: the end of an agent without its last message', async () => {
    const site = await siteWith('First::*', 'Second');
    await site.phases('start');
    await site.hook('subagent-stop', { hook_event_name: 'SubagentStop', agent_id: 'a1' });
    expect(site.statuses()).toEqual(['active', 'pending']);
    expect(site.read(LOG)).toContain('subagent-stop: the event has no last message of the agent');
  });

  it('does not hide a later one that does', async () => {
    const site = await siteWith('First::general-purpose', 'Second');
    await site.phases('start');
    const ended = agentEnded({ prompt: 'Phase ID: phase_0' });
    await site.hook('post-tool-use', { ...ended, tool_response: null });
    await site.hook('post-tool-use', ended);
    expect(site.statuses()).toEqual(['completed', 'active']);
  });
});

describe('phases reopen', () => {
  it('undoes a completion, with its results and the start of the next phase', async () => {
    const site = await siteWith('First::general-purpose', 'Second');
    await site.phases('start');
    const wrong = agentEnded({ prompt: 'Do it.', answer: 'DONE|wrong.txt\n\nContext for next: nothing' });
    await site.hook('post-tool-use', wrong);
    const ended = await site.phases('reopen', 'phase_0');
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'phase_0 active First (general-purpose)\n' });
    expect(site.document()).toMatchObject({
      status: 'active',
      current_phase: 'phase_0',
      phases: [
        { status: 'active', deliverables: [], context_for_next: '' },
        { status: 'pending', attempts: 1 },
      ],
    });
    expect(site.document().phases[0]).not.toHaveProperty('completed_at');
    expect(site.document().phases[1]).not.toHaveProperty('started_at');
    expect(site.history().slice(-2)).toMatchObject([
      {
        ...{ phase: 'phase_0', from: 'completed', to: 'active', by: 'command' },
        ...{ deliverables: ['wrong.txt'], context_for_next: 'nothing' },
      },
      { phase: 'phase_1', from: 'active', to: 'pending' },
    ]);
    // The agent that was counted is not counted again.
    await site.hook('post-tool-use', wrong);
    expect(site.statuses()).toEqual(['active', 'pending']);
  });

  it('starts again from the reopened phase when a later one failed', async () => {
    const site = await siteWith('First', 'Second');
    await site.phases('start');
    await site.phases('complete', 'phase_0');
    await site.phases('fail', 'phase_1', '--error', 'first is incomplete');
    expect(await site.phases('reopen', 'phase_0')).toMatchObject({ exitCode: 0 });
    expect(site.document()).toMatchObject({ status: 'active', current_phase: 'phase_0' });
    expect(site.statuses()).toEqual(['active', 'pending']);
    expect(site.document().phases[1]).not.toHaveProperty('error');
  });

  it('keeps later phases that are completed', async () => {
    const site = await siteWith('First', 'Second');
    await site.phases('start');
    await site.phases('complete', 'phase_0');
    await site.phases('complete', 'phase_1', '--deliverable', 'b.txt');
    await site.phases('reopen', 'phase_0');
    expect(site.statuses()).toEqual(['active', 'completed']);
    await site.phases('complete', 'phase_0');
    expect(site.document()).toMatchObject({ status: 'completed', current_phase: null });
  });

  it.each([
    ['phase_0', '`phase_0` is active; only a completed phase can be reopened', 2],
    ['phase_9', 'unknown phase `phase_9`', 2],
  ])('refuses %s', async (phase, why, exitCode) => {
    const site = await siteWith('First', 'Second');
    await site.phases('start');
    const ended = await site.phases('reopen', phase);
    expect(ended.stderr).toContain(why);
    expect(ended.exitCode).toBe(exitCode);
  });
});

describe('the context for the next phase', () => {
  it('is printed by `phases next`', async () => {
    const site = await siteWith('First', 'Second::tester');
    await site.phases('start');
    await site.phases('complete', 'phase_0', '--context-for-next', 'It has\nfour functions.');
    expect(await site.phases('next')).toMatchObject({
      exitCode: 0,
      stdout: 'phase_1 active Second (tester)\n\nContext from phase_0:\n\nIt has\nfour functions.\n',
    });
    expect(JSON.parse((await site.phases('next', '--json')).stdout)).toMatchObject({
      id: 'phase_1',
      context_from_previous: 'It has\nfour functions.',
    });
  });

  it('may be called `context` on the command line and in the file', async () => {
    const site = await siteWith('First', 'Second');
    await site.phases('start');
    await site.phases('complete', 'phase_0', '--context', 'four functions');
    expect(site.document().phases[0]?.context_for_next).toBe('four functions');
    const { phases, ...document } = site.document();
    const [{ context_for_next: context, ...first } = {}, second] = phases;
    site.write({ [DOCUMENT]: JSON.stringify({ ...document, phases: [{ ...first, context }, second] }) });
    expect((await site.phases('next')).stdout).toContain('Context from phase_0:\n\nfour functions\n');
  });

  it('is asked for at the start of a session', async () => {
    const site = await siteWith('First', 'Second');
    const told = contextOf(await site.hook('session-start', { hook_event_name: 'SessionStart' }));
    expect(told).toContain('`Phase ID: phase_0`');
    expect(told).toContain('`Context for next:`');
  });

  it('and the deliverables are read from the last 256 KiB of an answer', async () => {
    const site = await siteWith('First', 'Second');
    const filler = 'ä line that says nothing\n'.repeat(12_000);
    const answer = `Deliverables: early.txt\n\nContext for next: early\n\n${filler}\nDeliverables: late.txt\n\nContext for next: late\n`;
    await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0', answer }));
    expect(site.document().phases[0]).toMatchObject({
      deliverables: ['late.txt'],
      context_for_next: 'late',
    });
  });
});
