/** An agent call that ended with the process of its run: its cost is unknown, and everything that shows costs says so. */
import { describe, expect, it } from 'vitest';
import type { Costs } from '../../src/operations/runs/read-costs.ts';
import { type Started, until, Workspace } from '../rig/orchestrate.ts';

const FLOW = `name: two calls
providers:
  slow: {adapter: claude, command: [sh, ./slow]}
  quick: {adapter: mock, script: {cost_usd: 0.25}}
steps:
  - {name: First, provider: quick, prompt: go}
  - {name: Second, provider: slow, prompt: go}
`;
/** Speaks as Claude Code does; the call takes until the file \`go\` exists. */
const SLOW = `#!/bin/sh
echo begun >> begun
echo '{"type":"system","subtype":"init","session_id":"00000000-0000-4000-8000-000000000001","model":"big"}'
until [ -e go ]; do sleep 0.02; done
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","total_cost_usd":0.5,"num_turns":1,"session_id":"00000000-0000-4000-8000-000000000001","usage":{"input_tokens":1,"output_tokens":1}}'
`;

interface Totals {
  readonly agent_calls: number;
  readonly cost_usd: number;
  readonly unknown_cost_calls: number;
}

class Flow extends Workspace {
  constructor() {
    super({ 'flow.yaml': FLOW, slow: SLOW });
  }

  begun(): number {
    return this.has('begun') ? this.read('begun').split('\n').length - 1 : 0;
  }

  /** Starts it, and waits until its call has begun. */
  async untilCalled(argv: readonly string[]): Promise<Started> {
    const before = this.begun();
    const running = this.start(argv);
    await until(() => this.begun() > before || running.child.exitCode !== null);
    expect(running.child.exitCode).toBe(null);
    return running;
  }

  async json(...argv: readonly string[]): Promise<Record<string, unknown>> {
    return JSON.parse((await this.run(argv)).stdout);
  }

  /** What each view says that the run cost. */
  async totals(): Promise<readonly Totals[]> {
    const [runId = ''] = this.runs();
    const shown = (await this.json('show', runId, '--json'))['totals'];
    const reported = (await this.json('report', runId, '--format', 'json'))['totals'];
    const [listed] = (await this.json('runs', '--json')) as unknown as { readonly totals: Totals }[];
    const { total, rows } = (await this.json('costs', '--by', 'agent', '--json')) as unknown as Costs;
    expect(rows.reduce((sum, row) => sum + row.unknown_cost_calls, 0)).toBe(total.unknown_cost_calls);
    return [shown, reported, listed?.totals, total].map((each) => {
      const { agent_calls, cost_usd, unknown_cost_calls } = each as Totals;
      return { agent_calls, cost_usd, unknown_cost_calls };
    });
  }
}

/** The same in every view. */
const all = (agent_calls: number, cost_usd: number, unknown_cost_calls: number): readonly Totals[] =>
  Array.from({ length: 4 }, () => ({ agent_calls, cost_usd, unknown_cost_calls }));

describe('an agent call that was interrupted', () => {
  it('is a call of unknown cost: once after each kill, and once more when it is killed again', async () => {
    const flow = new Flow();
    for (const [kill, argv] of [['run', 'flow.yaml', '--trust'], ['resume']].entries()) {
      const running = await flow.untilCalled(kill === 0 ? argv : [...argv, flow.runs()[0] ?? '']);
      running.child.kill('SIGKILL');
      await running.ended;
      expect(await flow.totals()).toEqual(all(2 + kill, 0.25, 1 + kill));
    }
    const shown = (await flow.run(['show', flow.runs()[0] ?? ''])).stdout;
    expect(shown).toContain('$0.2500 + 2 calls of unknown cost');
    expect(shown).toMatch(/^ *■ Second +interrupted .* cost unknown/m);

    flow.write({ go: '' });
    expect((await flow.run(['resume', flow.runs()[0] ?? ''])).exitCode).toBe(0);
    expect(await flow.totals()).toEqual(all(4, 0.75, 2));
    expect(flow.step('Second')).toMatchObject({ cost_usd: 0.5, unknown_cost_calls: 2, repeated: true });
    expect(flow.state()).not.toHaveProperty('interrupted_calls');
    expect((await flow.run(['explain', flow.runs()[0] ?? ''])).stdout).toContain(
      'the previous one did not finish because its process was killed; what it cost is unknown',
    );
    const agents = (await flow.json('costs', '--by', 'agent', '--json')) as unknown as Costs;
    expect(agents.rows).toMatchObject([
      { name: 'slow', agent_calls: 3, cost_usd: 0.5, unknown_cost_calls: 2 },
      { name: 'mock', agent_calls: 1, cost_usd: 0.25, unknown_cost_calls: 0 },
    ]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'is a call of unknown cost after %s too, whether or not the run is resumed',
    async (signal, code) => {
      const flow = new Flow();
      const running = await flow.untilCalled(['run', 'flow.yaml', '--trust']);
      running.child.kill(signal);
      const { exitCode, stderr } = await running.ended;
      expect(exitCode).toBe(code);
      expect(stderr).toContain('$0.2500 + 1 call of unknown cost');
      expect(await flow.totals()).toEqual(all(2, 0.25, 1));
      expect(flow.state()).toMatchObject({ interrupted_calls: { Second: { agent: 'slow' } } });
      flow.write({ go: '' });
      const resumed = await flow.run(['resume', flow.runs()[0] ?? '']);
      expect(resumed.stderr).toContain('$0.7500 + 1 call of unknown cost');
      expect(await flow.totals()).toEqual(all(3, 0.75, 1));
    },
  );

  it('is named when a budget is used up', async () => {
    const flow = new Flow();
    const third = '  - {name: Third, provider: quick, prompt: go}\n';
    flow.write({ 'flow.yaml': `${FLOW.replace('steps:', 'budget: {usd: 0.5}\nsteps:')}${third}` });
    const running = await flow.untilCalled(['run', 'flow.yaml', '--trust']);
    running.child.kill('SIGKILL');
    await running.ended;
    flow.write({ go: '' });
    const resumed = await flow.run(['resume', flow.runs()[0] ?? '']);
    expect([resumed.exitCode, resumed.stderr]).toEqual([
      1,
      expect.stringContaining(
        'the budget of 0.5 USD is used up (0.7500 USD spent and 1 call of unknown cost)',
      ),
    ]);
  });
});
