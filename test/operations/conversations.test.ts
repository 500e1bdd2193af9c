import { describe, expect, it } from 'vitest';
import { takeHold } from '../../src/host/carrying/take-hold.ts';
import { resumeConversation } from '../../src/operations/conversations/resume-conversation.ts';
import { startConversation } from '../../src/operations/conversations/start-conversation.ts';
import type { RunPlan } from '../../src/operations/run-plan.ts';
import type { Site } from '../../src/operations/site.ts';
import { createTrustBook } from '../../src/operations/trust-book.ts';
import { Talk, text } from '../converse/rig.ts';
import { NO_MODULES } from './site.ts';

function siteIn({ folder }: { readonly folder: string }): Site {
  return {
    workspace: folder,
    environment: { HOME: folder },
    asker: 'user',
    trust: createTrustBook({ HOME: folder }),
    modules: NO_MODULES,
    now: () => new Date(),
  };
}

/** As another process would receive it. */
function sent(plan: RunPlan): RunPlan {
  return JSON.parse(JSON.stringify(plan));
}

async function taken(plan: RunPlan) {
  if (plan.hold === undefined) throw new Error('the plan has no hold');
  return takeHold(plan, plan.hold, { site: siteIn({ folder: plan.workspace }), onProblem() {} });
}

function started(talk: Talk, session: string): RunPlan {
  const prepared = startConversation(siteIn(talk), { dir: 'talk', session });
  if (prepared.type === 'error') throw new Error(JSON.stringify(prepared.error));
  return sent(prepared.value.plan);
}

function resumed(talk: Talk): RunPlan {
  const prepared = resumeConversation(siteIn(talk), { dir: 'talk' });
  if (prepared.type === 'error' || prepared.value.type !== 'run') throw new Error(JSON.stringify(prepared));
  return sent(prepared.value.plan);
}

describe('the plan of a conversation', () => {
  it('is plain data, and creating it writes nothing', () => {
    const talk = new Talk({ says: [[text('Done.')]] });
    const before = talk.list('.');
    const prepared = startConversation(siteIn(talk), { dir: 'talk', task: 'Look' });
    expect(prepared).toMatchObject({ type: 'ok', value: { plan: { kind: 'converse', title: 'Look' } } });
    if (prepared.type === 'ok') expect(sent(prepared.value.plan)).toEqual(prepared.value.plan);
    expect(talk.list('.')).toEqual(before);
  });

  it('gets its folder when it is executed', async () => {
    const talk = new Talk({ says: [[text('Done.')]] });
    const plans = ['one', 'two'].map((name) => started(talk, name));
    const holds = await Promise.all(plans.map(taken));
    const bases = holds.map(
      (hold) => hold.type === 'ok' && hold.value.plan.begin.type === 'new' && hold.value.plan.begin.input,
    );
    expect(bases).toEqual(
      expect.arrayContaining([
        // Relative to the workspace: it may be elsewhere on another machine.
        expect.objectContaining({ base: 'talk' }),
        expect.objectContaining({ base: expect.stringMatching(/^talk\/sessions\/(?:one|two)$/) }),
      ]),
    );
    for (const hold of holds) if (hold.type === 'ok') hold.value.release();
  });

  it('whose run never started is executed by one process only', async () => {
    const talk = new Talk({ says: [[text('Done.')]] });
    const first = await taken(started(talk, 'mine'));
    if (first.type === 'ok') first.value.release();
    const [one, two] = [resumed(talk), resumed(talk)];
    const again = await taken(one);
    expect(talk.session()).toMatchObject({ metadata: { run_id: one.runId } });
    expect(await taken(two)).toMatchObject({ type: 'error', error: { type: 'conversation-held' } });
    if (again.type === 'ok') again.value.release();
    expect(await taken(two)).toMatchObject({
      type: 'error',
      error: { type: 'conversation-resumed', conversation: 'mine' },
    });
  });

  it('that is completed holds it too, to clean up after a killed process', async () => {
    const talk = new Talk({ says: [[text('Done.')]] });
    expect(await talk.converse(['run', 'talk', '--session', 'mine', '-q'])).toMatchObject({ exitCode: 0 });
    expect(resumeConversation(siteIn(talk), { dir: 'talk' })).toMatchObject({
      value: { type: 'completed', plan: { begin: { type: 'tidy' }, hold: { sessionId: 'mine' } } },
    });
  });
});
