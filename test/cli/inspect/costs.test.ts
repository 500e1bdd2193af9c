/** `costs`, and the choice of runs by time and workflow. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SpendingFold } from '../../../src/engine/spending.ts';
import type { StepKey } from '../../../src/model/ids.ts';
import type { Costs } from '../../../src/operations/runs/read-costs.ts';
import { Workspace } from '../../rig/orchestrate.ts';

const PRICED = `name: priced
providers:
  m: {adapter: mock, script: {attempts: [{outcome: overloaded, cost_usd: 0.25}, {cost_usd: 0.25}]}}
  u: {adapter: mock, script: {cost_usd: null}}
steps:
  - {name: Ask, provider: m, input_file: p.md, retries: {max: 1, delay_ms: 1}}
  - {name: Unknown, provider: u, input_file: p.md}
`;
const FREE = 'name: free\nsteps:\n  - {name: S, command: ["true"]}\n';

async function costs(workspace: Workspace, ...argv: string[]): Promise<Costs> {
  const { exitCode, stdout, stderr } = await workspace.run(['costs', '--json', ...argv]);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function shown(workspace: Workspace, runId: string): Promise<Costs['total']> {
  return JSON.parse((await workspace.run(['show', runId, '--json'])).stdout).totals;
}

describe('costs', () => {
  it('adds up every kind of run, equal to what `show` says; unknown costs are counted', async () => {
    const workspace = new Workspace({ 'priced.yaml': PRICED, 'free.yaml': FREE, 'p.md': 'do it' });
    await workspace.run(['run', 'priced.yaml']);
    await workspace.run(['run', 'free.yaml']);
    await workspace.run(['iterate', 'init', 'loop']);
    workspace.write({ 'claude-iterate/workspaces/loop/INSTRUCTIONS.md': 'Do it.' });
    await workspace.run(['iterate', 'run', 'loop', '--dry-run', '--no-delay']);
    const total = (await costs(workspace)).total;
    const each = await Promise.all(workspace.runs().map((runId) => shown(workspace, runId)));
    const sum = (of: (totals: Costs['total']) => number): number =>
      each.reduce((all, totals) => all + of(totals), 0);
    expect(total).toEqual({
      runs: 2,
      agent_calls: sum((totals) => totals.agent_calls),
      cost_usd: sum((totals) => totals.cost_usd),
      unknown_cost_calls: sum((totals) => totals.unknown_cost_calls),
      tokens: { input: sum((totals) => totals.tokens.input), output: sum((totals) => totals.tokens.output) },
      unknown_token_calls: sum((totals) => totals.unknown_token_calls),
    });
    expect([total.cost_usd, total.unknown_cost_calls]).toEqual([0.5, 1]);
    const by = async (group: string) =>
      (await costs(workspace, '--by', group)).rows.map((row) => [
        row.name,
        row.cost_usd,
        row.unknown_cost_calls,
      ]);
    expect(await by('workflow')).toEqual([
      ['priced', 0.5, 1],
      ['loop (iterate)', 0, 0],
    ]);
    expect(await by('model')).toEqual([['mock', 0.5, 1]]);
    expect(await by('agent')).toEqual([['mock', 0.5, 1]]);
    expect((await by('day')).every(([day]) => /^\d{4}-\d{2}-\d{2}$/.test(String(day)))).toBe(true);
  });

  it('is shown as a table that says what is unknown', async () => {
    const workspace = new Workspace({ 'priced.yaml': PRICED, 'p.md': 'do it' });
    expect(await workspace.run(['costs'])).toMatchObject({ exitCode: 0, stderr: 'no agent was called\n' });
    await workspace.run(['run', 'priced.yaml']);
    expect((await workspace.run(['costs', '--by', 'model'])).stdout).toBe(
      `MODEL  RUNS  CALLS  TOKENS IN  TOKENS OUT     COST  OF UNKNOWN COST
mock      1      3          6          33  $0.5000  1 call
total     1      3          6          33  $0.5000  1 call
`,
    );
  });

  it('of a fork are only what it paid itself, and a replayed run costs nothing', async () => {
    const workspace = new Workspace({ 'priced.yaml': PRICED, 'p.md': 'do it' });
    await workspace.run(['run', 'priced.yaml', '--record']);
    const [first = ''] = workspace.runs();
    await workspace.run(['fork', first, '--from', 'Unknown']);
    expect((await costs(workspace)).total).toMatchObject({ runs: 2, cost_usd: 0.5, unknown_cost_calls: 2 });
    expect(await workspace.run(['run', 'priced.yaml', '--replay', first])).toMatchObject({ exitCode: 0 });
    expect((await costs(workspace)).total).toMatchObject({ runs: 2, cost_usd: 0.5, unknown_cost_calls: 2 });
  });

  it('are read from the journal if the view is missing, of another version, or not up to date', async () => {
    const workspace = new Workspace({ 'priced.yaml': PRICED, 'p.md': 'do it' });
    await workspace.run(['run', 'priced.yaml']);
    const before = await costs(workspace);
    const file = path.join(workspace.runFolder(), 'state.json');
    const { spending: _, ...old } = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, JSON.stringify(old));
    expect(await costs(workspace)).toEqual(before);
    fs.rmSync(file);
    expect(await costs(workspace)).toEqual(before);
  });

  it('go to the model that the agent reports, also those of attempts before; until then to the one asked for', () => {
    const at = '2026-01-31T23:59:59.000Z';
    const key = 'Ask' as StepKey;
    const fold = new SpendingFold();
    const input = { agent: { type: 'builtin', adapter: 'claude' }, model: 'opus' };
    fold.apply({ type: 'step-started', at, key, effect: 'run-agent', attempt: 1, input }, at);
    const spent = { costUsd: 0.5 };
    const failure = { type: 'internal-error', message: 'x' } as const;
    const failed = {
      type: 'attempt-ended',
      at,
      key,
      attempt: 1,
      failure,
      counted: true,
      nextAt: at,
      spent,
    } as const;
    const row = {
      ...{ day: '2026-01-31', agent: 'claude', cost_usd: 0.5, agent_calls: 1 },
      ...{ unknown_cost_calls: 0, unknown_token_calls: 1 },
    };
    expect(fold.apply(failed, at)).toEqual([{ ...row, model: 'opus', tokens: { input: 0, output: 0 } }]);
    const ended = {
      type: 'step-ended',
      at: '2026-02-01T00:00:01.000Z',
      key,
      effect: 'run-agent',
      attempts: 2,
    } as const;
    const output = { model: 'claude-opus-9', spent: { costUsd: null } };
    expect(fold.apply({ ...ended, startedAt: at, durationMs: 1, output }, at)).toEqual([
      { ...row, model: 'claude-opus-9', tokens: { input: 0, output: 0 } },
      {
        ...row,
        day: '2026-02-01',
        model: 'claude-opus-9',
        cost_usd: 0,
        unknown_cost_calls: 1,
        tokens: { input: 0, output: 0 },
      },
    ]);
  });

  it('name runs that cannot be read', async () => {
    const workspace = new Workspace({ 'priced.yaml': PRICED, 'p.md': 'do it' });
    await workspace.run(['run', 'priced.yaml']);
    fs.writeFileSync(path.join(workspace.runFolder(), 'journal.jsonl'), 'nonsense\n');
    const { exitCode, stderr } = await workspace.run(['costs']);
    expect([exitCode, stderr]).toEqual([
      0,
      `no agent was called\nnote: 1 run cannot be read and is not included: ${workspace.runs()[0]}\n`,
    ]);
  });
});

describe('runs can be chosen', () => {
  let ids: readonly string[] = [];
  let workspace: Workspace;
  // Renamed, so that one run is of yesterday and one of last month.
  const prepare = async (): Promise<void> => {
    workspace = new Workspace({ 'w/priced.yaml': PRICED, 'w/free.yaml': FREE, 'p.md': 'do it' });
    for (const file of ['w/free.yaml', 'w/priced.yaml', 'w/free.yaml']) await workspace.run(['run', file]);
    const [a = '', b = '', c = ''] = workspace.runs();
    ids = [aged(workspace, a, 40), aged(workspace, b, 2), c];
  };

  it('by time, status and workflow', async () => {
    await prepare();
    const chosen = async (...argv: string[]): Promise<readonly string[]> => {
      const { exitCode, stdout, stderr } = await workspace.run(['runs', '--json', ...argv]);
      expect([exitCode, stderr]).toEqual([0, '']);
      return JSON.parse(stdout).map((run: { run_id: string }) => run.run_id);
    };
    const [old = '', recent = '', now = ''] = ids;
    expect(await chosen('--since', '30m')).toEqual([now]);
    expect(await chosen('--since', '7d')).toEqual([now, recent]);
    expect(await chosen('--since', '2020-01-31')).toEqual([now, recent, old]);
    expect(await chosen('--since', new Date(Date.now() - 3 * 86_400_000).toISOString())).toEqual([
      now,
      recent,
    ]);
    expect(await chosen('--workflow', 'free')).toEqual([now, old]);
    expect(await chosen('--workflow', './w/priced.yaml', '--status', 'completed')).toEqual([recent]);
    expect(await chosen('--since', '7d', '--workflow', 'free', '--limit', '1')).toEqual([now]);
    expect((await costs(workspace, '--since', '12h')).rows).toEqual([]);
    expect((await costs(workspace, '--since', '3d')).total.runs).toBe(1);
  });

  it.each(['soon', '7', '2026-13-45', '2026-1-1', '-1d'])('`--since %s` is rejected', async (when) => {
    const { exitCode, stderr } = await new Workspace().run(['runs', `--since=${when}`]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('must be an age such as 30m, 12h or 7d, or a date such as 2026-01-31\n'),
    ]);
  });
});

/** The run as if it had been started days ago: its id and the times in its view. */
function aged(workspace: Workspace, runId: string, days: number): string {
  const at = new Date(Date.now() - days * 86_400_000).toISOString();
  const id = `${at.slice(0, 19).replaceAll(/[-:]/g, '')}Z-${runId.slice(-6)}`;
  const folder = workspace.runFolder(runId);
  for (const name of ['state.json']) {
    const file = path.join(folder, name);
    const text = fs.readFileSync(file, 'utf8').replaceAll(runId, id);
    fs.writeFileSync(file, text.replace(/"started_at": ?"[^"]*"/, `"started_at": "${at}"`));
  }
  fs.renameSync(folder, path.join(path.dirname(folder), id));
  return id;
}
