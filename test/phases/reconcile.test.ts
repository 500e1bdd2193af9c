import { describe, expect, it } from 'vitest';
import { contextIn, deliverablesIn } from '../../src/phases/deliverables.ts';
import { newDocument, type PhasesDocument } from '../../src/phases/document.ts';
import { reconcile } from '../../src/phases/hook/reconcile.ts';
import { parsePlan } from '../../src/phases/run/plan.ts';
import { startPhase } from '../../src/phases/transitions.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';
import { PhasesSite } from './site.ts';

const CREATED = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(CREATED + seconds * 1000).toISOString();

/** A line as in the transcript of a session. */
function started(id: string, seconds: number, prompt: string, more: object = {}): object {
  return {
    ...{ type: 'assistant', isSidechain: false, timestamp: at(seconds) },
    message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Agent', input: { prompt } }] },
    ...more,
  };
}

function ended(id: string, seconds: number, result: object | string, more: object = {}): object {
  return {
    ...{ type: 'user', isSidechain: false, timestamp: at(seconds), toolUseResult: result },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x', ...more }] },
  };
}

const done = (text: string, agentId: string): object => ({
  status: 'completed',
  agentId,
  content: [{ type: 'text', text }],
});

function document(...titles: readonly string[]): PhasesDocument {
  return newDocument(
    'A task',
    titles.map((title) => ({ title, agent: '*' })),
    new Date(CREATED),
  );
}

function reconciled(from: PhasesDocument, lines: readonly (object | string)[]): PhasesDocument {
  const workspace = temporaryFolder();
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFiles(workspace, { 'transcript.jsonl': text });
  const given = { transcriptPath: `${workspace}/transcript.jsonl`, workspace };
  const first = reconcile(from, given);
  expect(reconcile(first.document, given).changes, 'a second time').toEqual([]);
  return first.document;
}

const statuses = ({ phases }: PhasesDocument): readonly string[] => phases.map(({ status }) => status);

function begun(from: PhasesDocument, seconds: number): PhasesDocument {
  const change = startPhase(from, 'phase_0', { at: at(seconds) });
  if (change.type === 'error') throw new Error(change.error.type);
  return change.value.document;
}

describe('a hook in a long session', () => {
  it('closes what was missed recently and leaves older events to `phases reconcile`', async () => {
    const site = new PhasesSite();
    await site.create('First', 'Second');
    const now = (id: string, phase: string): readonly object[] => {
      const timestamp = new Date().toISOString();
      return [
        started(id, 0, `Phase ID: ${phase}`, { timestamp }),
        { ...ended(id, 0, done('Done.', `agent-${id}`)), timestamp },
      ];
    };
    const others = Array.from({ length: 3000 }, () => ({ type: 'assistant', text: 'x'.repeat(1000) }));
    const lines = [...now('toolu_1', 'phase_0'), ...others, ...now('toolu_2', 'phase_1')];
    site.write({ 'session.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
    const stop = { hook_event_name: 'Stop', transcript_path: `${site.folder}/session.jsonl` };
    expect(await site.hook('stop', stop)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(site.statuses()).toEqual(['active', 'completed']);
    expect((await site.phases('show')).stderr).toContain('phase_0: active → completed');
    expect(await site.phases('reconcile')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(site.statuses()).toEqual(['completed', 'completed']);
  });
});

describe('reconciling with a transcript', () => {
  it('closes phases in the order their agents ended, named or not', () => {
    const after = reconciled(begun(document('A', 'B', 'C'), 1), [
      started('t1', 2, 'Do it.'),
      ended('t1', 3, done('DONE|a.txt', 'a1')),
      started('t2', 4, 'Continue.'),
      ended('t2', 5, done('DONE|b.txt', 'a2')),
    ]);
    expect(after).toMatchObject({
      current_phase: 'phase_2',
      phases: [
        { status: 'completed', deliverables: ['a.txt'], completed_at: at(3), agent_ids: ['a1', 't1'] },
        { status: 'completed', deliverables: ['b.txt'], started_at: at(3), completed_at: at(5) },
        { status: 'active' },
      ],
    });
  });

  it('ignores events before the workflow, uncertain ones, and nested agents', () => {
    const from = document('A', 'B');
    const before = [started('t1', -9, 'Phase ID: phase_0'), ended('t1', -8, done('old', 'a1'))];
    const unnamed = [started('t2', 2, 'Look around.'), ended('t2', 3, done('seen', 'a2'))];
    const inside = [
      started('t3', 4, 'Phase ID: phase_0', { isSidechain: true }),
      { ...ended('t3', 5, done('inner', 'a3')), isSidechain: true },
    ];
    expect(reconciled(from, [...before, ...unnamed, ...inside])).toBe(from);
  });

  it('fails a phase whose agent failed, and ignores a torn line', () => {
    const after = reconciled(document('A', 'B'), [
      'garbage "name":"Agent"',
      started('t1', 1, 'Phase ID: phase_0'),
      ended('t1', 2, 'Error: no such agent', { is_error: true }),
      '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Agent"',
    ]);
    expect(after.phases[0]).toMatchObject({ status: 'failed', error: 'Error: no such agent' });
  });

  it('waits for a background agent until its end is reported', () => {
    const launched = [
      started('t1', 1, 'Phase ID: phase_0'),
      ended('t1', 2, { isAsync: true, status: 'async_launched', agentId: 'b1' }),
    ];
    const from = document('A', 'B');
    expect(reconciled(from, launched)).toBe(from);
    const content =
      '<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>completed</status>\n<result>DONE|a.txt</result>\n</task-notification>';
    const told = { type: 'queue-operation', operation: 'enqueue', timestamp: at(3), content };
    expect(statuses(reconciled(from, [...launched, told]))).toEqual(['completed', 'active']);
  });

  it('changes nothing without a transcript', () => {
    const from = document('A');
    expect(reconcile(from, { transcriptPath: '/nowhere/at/all.jsonl', workspace: '/nowhere' }).document).toBe(
      from,
    );
  });
});

describe('the context for the next phase', () => {
  it.each([
    ['Done.\n\n**Context for the next phase:** it has add\nand subtract\n\nBye.', 'it has add\nand subtract'],
    ['CONTEXT FOR NEXT: x', 'x'],
    ['  All of it. ', 'All of it.'],
    ['a'.repeat(5000), `${'a'.repeat(4000)}…`],
  ])('of %j', (answer, expected) => {
    expect(contextIn(answer)).toBe(expected);
  });
});

describe('a plan', () => {
  it('has at most a thousand phases', () => {
    const phases = Array.from({ length: 1001 }, (_, i) => `Phase ${i}`);
    expect(parsePlan(phases.slice(1))).toMatchObject({ type: 'ok' });
    expect(parsePlan(phases)).toEqual({ type: 'error', error: ['there can be at most 1000 phases'] });
  });
});

describe('deliverables of an answer', () => {
  const none = { workspace: '/w', sinceMs: Number.NaN };

  it.each([
    ['Deliverables:\n- a.py\n* `b.py`\n1. c d\n\nThat is all.\n- not this', ['a.py', 'b.py', 'c d']],
    ['## Deliverables:\n\n- [x] a.py', ['a.py']],
    ['**Deliverables:** a.py, b.py', ['a.py', 'b.py']],
    ['DONE|out/report.md\nDONE| second.md ', ['out/report.md', 'second.md']],
    [
      'Deliverables:\n- ./a.py\n- /w/a.py\n- /w/sub/b.py\n- /elsewhere/c.py',
      ['a.py', 'sub/b.py', '/elsewhere/c.py'],
    ],
    ['I looked at a.py and changed nothing.', []],
    ['My deliverables were good.', []],
    ['', []],
  ])('%j', (answer, expected) => {
    expect(deliverablesIn(answer, none)).toEqual(expected);
  });

  it('are files below a folder whose name has blanks, named by their absolute paths', () => {
    const workspace = `${temporaryFolder()}/My Work (1)`;
    writeFiles(workspace, { 'src/new.py': 'new' });
    const answer = `I wrote ${workspace}/src/new.py, and also none.py.`;
    expect(deliverablesIn(answer, { workspace, sinceMs: 0 })).toEqual(['src/new.py']);
  });
});
