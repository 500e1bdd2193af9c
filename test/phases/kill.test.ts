import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newDocument } from '../../src/phases/document.ts';
import { renderView } from '../../src/phases/view.ts';
import { type KillOrder, killAt } from '../rig/kill-at.ts';
import type { Ended } from '../rig/orchestrate.ts';
import { agentEnded, DOCUMENT, PhasesSite, VIEW } from './site.ts';

const FIRST = agentEnded({ prompt: 'Phase ID: phase_0', answer: 'DONE|a.txt' });
const SECOND = agentEnded({ prompt: 'Phase ID: phase_1', agentId: 'a2', useId: 'toolu_2' });
const STOP = { hook_event_name: 'Stop' };

type Deed = (site: PhasesSite, order: KillOrder) => Promise<Ended>;

const completing: Deed = (site, order) => site.hook('post-tool-use', FIRST, killAt(order));

function command(...words: readonly string[]): Deed {
  return (site, order) => site.start(['phases', ...words], { env: killAt(order) }).ended;
}

/** The state after `phases create` was killed before it wrote the history. */
function created(): PhasesSite {
  const plan = ['First', 'Second'].map((title) => ({ title, agent: '' }));
  const document = newDocument('A task', plan, new Date('2026-01-01T00:00:00Z'));
  const line = { at: document.created_at, workflow: document.id, by: 'command', status: 'pending' };
  const last_change = [{ ...line, from: null, to: 'pending' }];
  return new PhasesSite({ [DOCUMENT]: JSON.stringify({ ...document, last_change }) });
}

/** One site for every disk operation before which the command can be killed. */
async function* killedEverywhere(deed: Deed, make: () => PhasesSite): AsyncGenerator<PhasesSite> {
  const undisturbed = make();
  expect(await deed(undisturbed, { trace: path.join(undisturbed.folder, 'trace') })).toMatchObject({
    exitCode: 0,
  });
  const kinds = undisturbed
    .read('trace')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).kind);
  expect(kinds.length).toBeGreaterThan(12);
  for (const [index, kind] of kinds.entries()) {
    // For a reader nothing changed between this operation and the previous one.
    if (kind === 'create' || kind === 'sync') continue;
    const number = index + 1;
    const site = make();
    expect(await deed(site, { when: 'before', number })).toMatchObject({ signal: 'SIGKILL' });
    yield site;
  }
}

/** Rebuilds the phases from the history: every change has its line, every line its change. */
function told(site: PhasesSite): readonly string[] {
  const lines = site.history();
  expect(lines.filter(({ from }) => from === null)).toHaveLength(1);
  return site.document().phases.map(({ id }) =>
    lines
      .filter(({ phase }) => phase === id)
      .reduce((status, { from, to }) => {
        expect(from).toBe(status);
        return to;
      }, 'pending'),
  );
}

describe('killed before any of its disk operations', () => {
  it.each<[string, Deed, () => PhasesSite]>([
    ['a hook that completes a phase', completing, created],
    [
      '`phases create`',
      command('create', 'A task', '--phase', 'First', '--phase', 'Second'),
      () => new PhasesSite(),
    ],
  ])('%s leaves a state that the next hook completes', async (_, deed, make) => {
    for await (const site of killedEverywhere(deed, make)) {
      expect(await site.hook('stop', STOP)).toMatchObject({ exitCode: 0, stderr: '' });
      if (!site.has(DOCUMENT)) continue;
      expect(told(site)).toEqual(site.statuses());
      expect(site.read(VIEW)).toBe(renderView(site.document(), []));
      expect(site.has('.claude/state/hook.log')).toBe(false);
    }
  });

  it('`phases archive` archives the workflow when it is called again, with one line in the history', async () => {
    for await (const site of killedEverywhere(command('archive'), created)) {
      if (site.has(DOCUMENT)) expect(await site.phases('archive')).toMatchObject({ exitCode: 0 });
      expect(site.has(DOCUMENT)).toBe(false);
      expect(site.list('.claude/state/archive')).toContain('wf_20260101_000000.json');
      expect(site.history().map(({ to }) => to)).toEqual(['pending', 'archived']);
    }
  });

  it('two commands in a row, each before it could write its lines, lose no line', async () => {
    const site = created();
    // Missing lines are written before the document is replaced, its own lines afterwards.
    const order = { when: 'before', kind: 'write', file: 'workflow-history.jsonl', number: 2 } as const;
    for (const event of [FIRST, SECOND])
      expect(await site.hook('post-tool-use', event, killAt(order))).toMatchObject({ signal: 'SIGKILL' });
    expect(site.statuses()).toEqual(['completed', 'completed']);
    expect(site.history()).toHaveLength(4);
    await site.hook('stop', STOP);
    expect(told(site)).toEqual(['completed', 'completed']);
  });
});

it('the work of a killed hook is finished by the next one even if that changes nothing and the view looks current', async () => {
  const site = created();
  const order = { when: 'before', kind: 'write', file: 'workflow-history.jsonl', number: 2 } as const;
  expect(await site.hook('post-tool-use', FIRST, killAt(order))).toMatchObject({ signal: 'SIGKILL' });
  // As if it had been written within the same tick of the file system clock.
  site.write({ [VIEW]: 'old\n' });
  expect(await site.hook('post-tool-use', FIRST)).toMatchObject({ exitCode: 0 });
  expect(told(site)).toEqual(['completed', 'active']);
  expect(site.read(VIEW)).toBe(renderView(site.document(), []));
});

describe('a workflow.json edited by hand', () => {
  it('is shown in the view after the next hook or command, even one that changes nothing', async () => {
    const site = created();
    for (const act of [() => site.hook('stop', STOP), () => site.phases('reconcile')]) {
      const task = `Task ${Math.random()}`;
      // The file system clock may not advance for a few ms.
      await delay(20);
      site.write({ [DOCUMENT]: JSON.stringify({ ...site.document(), task }) });
      const before = site.read(DOCUMENT);
      await act();
      expect(site.read(VIEW)).toContain(`# Workflow Status: ${task}\n`);
      expect(site.read(DOCUMENT)).toBe(before);
    }
  });
});
