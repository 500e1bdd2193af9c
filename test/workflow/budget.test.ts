import { describe, expect, it } from 'vitest';
import { countOf, until, Workspace } from '../rig/orchestrate.ts';
import { retime } from './runs.ts';

const priced = (script: string): string => `providers:\n  m: {adapter: mock, script: ${script}}\n`;

describe('a budget', () => {
  const calls = `steps:
  - name: Loop
    for_each:
      items: [1, 2, 3, 4]
      steps:
        - {name: Ask, provider: m, input_file: p.md}
        - {name: Count, command: [bash, -c, "echo x >> asked"]}
`;

  it('in dollars or tokens stops the next agent call once it is used up', async () => {
    for (const [budget, script, asked, message] of [
      ['{usd: 0.5}', '{cost_usd: 0.3}', 2, 'the budget of 0.5 USD is used up (0.6000 USD spent)'],
      [
        '{tokens: 100}',
        '{usage: {input_tokens: 30, output_tokens: 20}}',
        2,
        'the budget of 100 tokens is used up (100 tokens used)',
      ],
    ] as const) {
      const workspace = new Workspace({
        'p.md': 'x',
        'w.yaml': `budget: ${budget}\n${priced(script)}${calls}`,
      });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
      expect(countOf(workspace, 'asked')).toBe(asked);
      expect(workspace.iterations('Loop')[asked]?.['Ask']).toMatchObject({
        exit_code: 1,
        outcome: 'over-budget',
        error: { message },
      });
    }
  });

  it('is reached exactly: eight calls of 10 cents are 80 cents', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `budget: {usd: 0.8}\n${priced('{cost_usd: 0.1}')}${calls.replace('[1, 2, 3, 4]', '[1, 2, 3, 4, 5, 6, 7, 8, 9]')}`,
    });
    const { exitCode, stderr } = await workspace.run(['run', 'w.yaml']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the budget of 0.8 USD is used up (0.8000 USD spent)');
    expect(countOf(workspace, 'asked')).toBe(8);
    expect(workspace.state().totals.cost_usd).toBe(0.8);
  });

  it('applies to parallel items: it is exceeded by at most one call per slot', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `budget: {usd: 2}
${priced('{cost_usd: 1}')}steps:
  - name: Loop
    for_each:
      items: [1, 2, 3, 4, 5, 6, 7, 8]
      max_parallel: 2
      on_item_failure: continue
      steps:
        - {name: Ask, provider: m, input_file: p.md}
        - {name: Count, command: [bash, -c, "echo x >> asked"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const asked = countOf(workspace, 'asked');
    expect(asked).toBeGreaterThanOrEqual(2);
    expect(asked).toBeLessThanOrEqual(4);
    expect(workspace.state().totals).toMatchObject({ cost_usd: asked, agent_calls: asked });
    const outcomes = workspace.iterations('Loop').map((item) => item['Ask']?.outcome);
    expect(outcomes.filter((outcome) => outcome === 'over-budget').length).toBeLessThanOrEqual(2);
    // The same calls are admitted again, and no others.
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    expect(countOf(workspace, 'asked')).toBe(asked);
  });

  it('counts the cost of branches and failed attempts; an unknown cost is counted as unknown', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `budget: {usd: 0.6}
providers:
  m: {adapter: mock, script: {attempts: [{outcome: overloaded, cost_usd: 0.25}, {cost_usd: 0.25}]}}
  n: {adapter: mock, script: {cost_usd: 0.125}}
  u: {adapter: mock, script: {cost_usd: null}}
steps:
  - name: Par
    parallel:
      steps:
        - {name: A, provider: m, input_file: p.md, retries: {max: 1, delay_ms: 0}}
        - {name: B, provider: n, input_file: p.md}
        - {name: C, provider: u, input_file: p.md}
  - {name: D, provider: n, input_file: p.md}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('D').error?.message).toBe(
      'the budget of 0.6 USD is used up (0.6250 USD spent and 1 call of unknown cost)',
    );
    expect(workspace.state().totals).toMatchObject({
      cost_usd: 0.625,
      agent_calls: 4,
      unknown_cost_calls: 1,
    });
  });

  it('ends the run, whatever the workflow does about failures: nothing more starts, and a queue file stays', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'inbox/a.task': '1',
      'inbox/b.task': '2',
      'inbox/c.task': '3',
      'w.yaml': `budget: {usd: 1}
${priced('{cost_usd: 1}')}strict_flow: false
steps:
  - name: Loop
    for_each:
      items: [inbox/a.task, inbox/b.task, inbox/c.task]
      on_item_failure: continue
      on_item_complete: {success: {move_to: processed}, failure: {move_to: failed}}
      steps:
        - {name: Ask, provider: m, input_file: p.md, on: {failure: {goto: Hide}}}
        - {name: Hide, command: [bash, -c, "echo x >> hidden"]}
    on: {failure: {goto: After}}
  - {name: After, command: [touch, after]}
finally:
  - {name: Clean, command: [touch, cleaned]}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(workspace.state().error).toMatchObject({ type: 'over-budget', step: 'Loop' });
    expect(workspace.state().for_each['Loop']).toMatchObject({ status: 'failed', completed_indices: [0] });
    expect(workspace.iterations('Loop')).toHaveLength(2);
    expect(
      workspace.list('.').filter((name) => /^(inbox|processed|failed|after|cleaned)/.test(name)),
    ).toEqual(expect.arrayContaining(['cleaned', 'inbox/b.task', 'inbox/c.task', 'processed/a.task']));
    expect(workspace.has('after')).toBe(false);
    expect(workspace.has('failed')).toBe(false);
    expect(countOf(workspace, 'hidden')).toBe(1);
  });
});

describe('the cost of a step', () => {
  it('is the sum of all its calls: retries, re-asks and fallbacks; the rows add up to the total', async () => {
    const workspace = new Workspace({
      'p.md': 'Do it.\n',
      'w.yaml': `providers:
  asked: {adapter: mock, script: {answer: no JSON, cost_usd: 0.02}}
  retried: {adapter: mock, script: {attempts: [{outcome: overloaded, cost_usd: 0.25}, {cost_usd: 0.5}]}}
  first: {adapter: mock, script: {outcome: overloaded, cost_usd: 0.125}, fallback: [second]}
  second: {adapter: mock, script: {cost_usd: null}}
steps:
  - {name: Retried, provider: retried, input_file: p.md, retries: {max: 1, delay_ms: 1}}
  - {name: Fallen, provider: first, input_file: p.md, retries: 0}
  - name: Say
    command: [echo, "\${steps.Retried.cost_usd} \${steps.Fallen.cost_usd}"]
  - name: Asked
    provider: asked
    input_file: p.md
    expect: {json_schema: {type: object}, reask: 2}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Asked')).toMatchObject({ outcome: 'unproven', cost_usd: 0.06, attempts: 3 });
    expect(workspace.step('Retried')).toMatchObject({ status: 'completed', cost_usd: 0.75, attempts: 2 });
    expect(workspace.step('Fallen')).toMatchObject({ cost_usd: 0.125, unknown_cost_calls: 1, attempts: 2 });
    expect(workspace.step('Say').output).toBe('0.75 unknown\n');
    const { totals } = workspace.state();
    expect(totals).toMatchObject({ agent_calls: 7, unknown_cost_calls: 1 });
    expect(totals.cost_usd).toBeCloseTo(0.06 + 0.75 + 0.125, 10);
    const shown = (await workspace.run(['show', 'last'])).stdout;
    expect(shown).toContain('$0.0600');
    expect(shown).toContain('$0.7500');
    expect(shown).toContain('$0.1250 + 1 call of unknown cost');
  });

  it('includes the calls of a failed run that was resumed', async () => {
    const workspace = new Workspace({
      'p.md': 'Do it.\n',
      'w.yaml': `providers:
  m: {adapter: mock, script: {cost_usd: 0.5}}
steps:
  - {name: Ask, provider: m, input_file: p.md, expect: {files: [proof]}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Ask').cost_usd).toBe(0.5);
    workspace.write({ proof: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Ask')).toMatchObject({ status: 'completed', cost_usd: 1 });
    expect(workspace.state().totals).toMatchObject({ cost_usd: 1, agent_calls: 2 });
  });
});

describe('a budget in minutes', () => {
  it('ends the command that is running, and nothing more starts', async () => {
    const workspace = new Workspace({
      'w.yaml': `budget: {minutes: 0.02}
strict_flow: false
steps:
  - {name: Slow, command: [bash, -c, "echo begun; exec sleep 60"], retries: 3, on: {failure: {goto: After}}}
  - {name: After, command: [touch, after]}
finally:
  - {name: Clean, command: [touch, cleaned]}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    const message = 'the budget of 0.02 minutes is used up (the run has worked that long)';
    expect(workspace.step('Slow')).toMatchObject({
      status: 'failed',
      outcome: 'over-budget',
      exit_code: 1,
      attempts: 1,
      error: { message, stdout_tail: 'begun\n' },
    });
    expect(workspace.state().error).toMatchObject({ type: 'over-budget', message, step: 'Slow' });
    expect(workspace.has('after')).toBe(false);
    expect(workspace.has('cleaned')).toBe(true);
    expect(ended.stderr).toContain('to continue: raise `budget` in w.yaml, then orchestrate resume');
  });

  it.each([
    ['an agent', '{name: A, provider: m, input_file: p.md}'],
    ['a wait for files', '{name: A, wait_for: {glob: never, timeout_sec: 60}}'],
    ['a wait for the next attempt', '{name: A, command: ["false"], retries: {max: 2, delay_ms: 60000}}'],
    ['the check of a result', '{name: A, command: ["true"], expect: {command: [sleep, "60"]}}'],
    [
      'the delay of a loop',
      '{name: A, repeat: {max_iterations: 9, delay_sec: 60, until: {exists: never}, steps: [{name: B, command: ["true"]}]}}',
    ],
  ])('ends %s', async (_, step) => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `budget: {minutes: 0.02}\n${priced('{answer: ok, delay_ms: 60000}')}steps:\n  - ${step}\n`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    // The stream of the agent explains nothing.
    expect(ended.stderr).not.toContain('| {');
    expect(workspace.step('A').outcome).toBe('over-budget');
    expect(workspace.state().error).toMatchObject({ type: 'over-budget' });
  });

  it('ends parallel items, also with `on_item_failure: continue`, and a raised budget continues them', async () => {
    const yaml = (minutes: string): string => `budget: {minutes: ${minutes}}
steps:
  - name: Loop
    for_each:
      items: [1, 2, 3, 4, 5, 6]
      max_parallel: 2
      on_item_failure: continue
      steps:
        - {name: Count, command: [bash, -c, "echo \${item} >> counted"]}
        - {name: Slow, command: [bash, -c, "[ -e quick ] || exec sleep 60"]}
`;
    const workspace = new Workspace({ 'w.yaml': yaml('0.05') });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(countOf(workspace, 'counted')).toBe(2);
    // Nothing helps but a larger budget, and nothing runs.
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    expect(countOf(workspace, 'counted')).toBe(2);
    workspace.write({ 'w.yaml': yaml('60'), quick: '' });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('counted').trim().split('\n').sort()).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('does not count the time in which the run waits for a person or is interrupted', async () => {
    const workspace = new Workspace({
      'w.yaml': `budget: {minutes: 0.05}
steps:
  - {name: Ask, approve: {message: Ship it?, choices: [yes, no]}}
  - {name: After, command: ["true"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    retime(workspace, (at) => at - 24 * 3600_000);
    await workspace.run(['approve', 'last', 'Ask', '--choose', 'yes']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
  });

  it('counts what an earlier process worked, even one that was killed', async () => {
    const workspace = new Workspace({
      'w.yaml': `budget: {minutes: 60}
steps:
  - {name: Slow, command: [bash, -c, "touch begun; exec sleep 60"]}
`,
    });
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    run.child.kill('SIGKILL');
    await run.ended;
    let isFirst = true;
    retime(workspace, (at) => {
      const began = isFirst ? at - 2 * 3600_000 : at;
      isFirst = false;
      return began;
    });
    workspace.remove('begun');
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    expect(workspace.has('begun')).toBe(false);
    expect(workspace.state().error).toMatchObject({ type: 'over-budget' });
  });
});
