import { describe, expect, it } from 'vitest';
import { completePhase, failPhase, startPhase } from '../../src/operations/phases/change-phase.ts';
import { createPhases } from '../../src/operations/phases/create-phases.ts';
import { getPhases } from '../../src/operations/phases/get-phases.ts';
import { kindOf } from '../../src/operations/problem.ts';
import type { Site } from '../../src/operations/site.ts';
import { createTrustBook } from '../../src/operations/trust-book.ts';
import { PhasesSite } from '../phases/site.ts';
import { NO_MODULES } from './site.ts';

function agentIn({ folder }: PhasesSite): Site {
  return {
    workspace: folder,
    environment: { HOME: folder },
    asker: 'agent',
    trust: createTrustBook({ HOME: folder }),
    modules: NO_MODULES,
    now: () => new Date('2026-01-31T12:00:00Z'),
  };
}

async function kindAfter(change: ReturnType<typeof startPhase>) {
  const changed = await change;
  return changed.type === 'ok' ? 'ok' : kindOf(changed.error);
}

describe('operations on phases by an agent', () => {
  it('return data, with the phase that each change made active', async () => {
    const there = new PhasesSite();
    const site = agentIn(there);
    const phases = [
      { title: 'Write it', agent: 'engineer' },
      { title: 'Test it', agent: '' },
    ];
    expect(await createPhases(site, { task: 'A calculator', phases })).toMatchObject({ type: 'ok' });
    await startPhase(site, {});
    const completed = await completePhase(site, { phase: 'phase_0', deliverables: ['a.py'] });
    expect(JSON.parse(JSON.stringify(completed))).toMatchObject({
      type: 'ok',
      value: {
        phase: { id: 'phase_0', status: 'completed', completed_at: '2026-01-31T12:00:00.000Z' },
        active: { id: 'phase_1' },
        document: { current_phase: 'phase_1' },
        kept: [],
      },
    });
    expect(getPhases(site)).toMatchObject({ type: 'ok', value: { todos: [], document: there.document() } });
    expect(there.history().map(({ by }) => by)).toEqual(['mcp', 'mcp', 'mcp', 'mcp']);
  });

  it('report the kind of each problem', async () => {
    const there = new PhasesSite();
    const site = agentIn(there);
    expect(await kindAfter(startPhase(site, { phase: 'phase_0' }))).toBe('not-found');
    await there.create('One', 'Two');
    expect(await kindAfter(startPhase(site, { phase: 'phase_9' }))).toBe('not-found');
    expect(await kindAfter(completePhase(site, { phase: 'phase_1' }))).toBe('conflict');
    expect(await kindAfter(startPhase(site, { phase: 'phase_0' }))).toBe('ok');
    expect(await kindAfter(failPhase(site, { phase: 'phase_0', error: 'no\ndisk' }))).toBe('ok');
    expect(await startPhase(site, {})).toMatchObject({
      error: { type: 'phases-stopped', phase: 'phase_0', reason: 'no\ndisk' },
    });
    there.write({ '.claude/state/workflow.json': '{' });
    expect(await kindAfter(startPhase(site, {}))).toBe('invalid');
  });
});
