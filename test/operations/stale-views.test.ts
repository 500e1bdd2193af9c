/** A list of runs reads views, which are small, and never uses one that was not made from the current journal. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseOldRuns, removeRun } from '../../src/operations/runs/clean-runs.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { temporarySite } from './site.ts';

const ASKS =
  'name: ask\nsteps:\n  - name: A\n    command: ["true"]\n  - name: B\n    approve: { message: "?", choices: [yes, no] }\n';
const WORKS = 'name: work\nsteps:\n  - name: A\n    command: [echo, hello]\n';

interface Listed {
  readonly run_id: string;
  readonly status: string;
}

async function listed(workspace: Workspace): Promise<readonly Listed[]> {
  return JSON.parse((await workspace.run(['runs', '--json'])).stdout);
}

function inRun(workspace: Workspace, name: string): string {
  return path.join(workspace.folder, '.orchestrate/runs', workspace.runs()[0] ?? '', name);
}

describe('`state.json`', () => {
  it('identifies the journal that it was made from', async () => {
    const workspace = new Workspace({ 'w.yaml': WORKS });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const { journal } = JSON.parse(fs.readFileSync(inRun(workspace, 'state.json'), 'utf8'));
    const bytes = fs.readFileSync(inRun(workspace, 'journal.jsonl'));
    expect(journal).toEqual({
      bytes: bytes.length,
      records: bytes.toString().trimEnd().split('\n').length - 1,
      checksum: expect.stringMatching(/^[0-9a-f]{8}$/),
      state: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
  });

  it('that was changed since it was written is ignored by `runs`, `costs` and `clean`', async () => {
    const workspace = new Workspace({ 'w.yaml': ASKS });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const file = inRun(workspace, 'state.json');
    const changed = fs
      .readFileSync(file, 'utf8')
      .replace('"status": "waiting"', '"status": "completed"')
      .replace('"agent_calls": 0', '"agent_calls": 7');
    fs.writeFileSync(file, changed);
    expect(JSON.parse(changed)).toMatchObject({ status: 'completed', totals: { agent_calls: 7 } });
    expect(await listed(workspace)).toMatchObject([{ status: 'waiting', waiting_for: ['B'] }]);
    expect((await workspace.run(['costs', '--json'])).stdout).not.toContain('7');
    expect((await workspace.run(['clean', '--older-than', '0m', '--force'])).stderr).toBe(
      'nothing to remove\n',
    );
    expect(workspace.runs()).toHaveLength(1);
  });

  it('that differs from the journal is ignored by `runs`, `last` and `clean`', async () => {
    const workspace = new Workspace({ 'w.yaml': ASKS });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const file = inRun(workspace, 'state.json');
    const view = fs.readFileSync(file, 'utf8');
    // The state before the last records.
    const { journal, ...state } = JSON.parse(view);
    const stale = { ...state, status: 'completed', journal: { ...journal, bytes: journal.bytes - 100 } };
    fs.writeFileSync(file, JSON.stringify(stale));
    expect(await listed(workspace)).toMatchObject([{ status: 'waiting', waiting_for: ['B'] }]);
    expect(await workspace.run(['clean', '--older-than', '0m', '--force'])).toMatchObject({
      exitCode: 0,
      stderr: 'nothing to remove\n',
    });
    expect(workspace.runs()).toHaveLength(1);
  });

  it('of a version that did not identify its journal is ignored too', async () => {
    const workspace = new Workspace({ 'w.yaml': ASKS });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const file = inRun(workspace, 'state.json');
    const { journal: _, ...state } = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, JSON.stringify({ ...state, status: 'completed' }));
    expect(await listed(workspace)).toMatchObject([{ status: 'waiting' }]);
  });
});

describe('a journal that is damaged after its view was written', () => {
  it.each([
    ['in the middle', (bytes: Buffer) => bytes.fill('#', bytes.length >> 1, (bytes.length >> 1) + 3)],
    ['in its first line', (bytes: Buffer) => bytes.fill('#', 3, 5)],
    [
      'in a byte of a text',
      (bytes: Buffer) => bytes.fill('x', bytes.indexOf('hello'), bytes.indexOf('hello') + 1),
    ],
  ])('%s is damaged in every view', async (_where, damage) => {
    const workspace = new Workspace({ 'w.yaml': WORKS });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    expect(await listed(workspace)).toMatchObject([{ status: 'completed' }]);
    const file = inRun(workspace, 'journal.jsonl');
    fs.writeFileSync(file, damage(fs.readFileSync(file)));
    expect(await listed(workspace)).toMatchObject([{ status: 'damaged' }]);
    expect(await workspace.run(['show'])).toMatchObject({ exitCode: 1 });
    expect((await workspace.run(['doctor', 'last'])).exitCode).toBe(1);
  });
});

it('`clean` keeps a run that was resumed while the user was asked, and now waits for an answer', async () => {
  const workspace = new Workspace({
    'w.yaml': ASKS.replace('["true"]', '[test, -e, go]'),
  });
  await workspace.run(['run', 'w.yaml', '--quiet']);
  const site = { ...temporarySite(), workspace: workspace.folder, now: () => new Date() };
  const chosen = chooseOldRuns(site, { olderThanMs: 0 });
  const [run] = chosen.type === 'ok' ? chosen.value : [];
  expect(run).toMatchObject({ state: { status: 'failed' } });
  if (run === undefined) return;
  workspace.write({ go: '' });
  expect((await workspace.run(['resume', 'last', '--quiet'])).exitCode).toBe(3);
  expect(await removeRun(site, run)).toEqual({ type: 'ok', value: { type: 'changed', status: 'waiting' } });
  expect(await listed(workspace)).toMatchObject([{ status: 'waiting' }]);
});
