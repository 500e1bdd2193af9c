import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';

/** Fails with `code` until its `good`th run. */
const flaky = (name: string, code: number, good: number, rest: string) =>
  `  - name: ${name}\n    command: [bash, -c, "echo x >> n-${name}; test $(wc -l < n-${name}) -ge ${good} || exit ${code}"]\n${rest}`;

interface AttemptEnded {
  readonly type: string;
  readonly key: string;
  readonly at: string;
  readonly nextAt: string;
  readonly counted: boolean;
}

function pauses(workspace: Workspace, key: string): readonly number[] {
  return (workspace.journal() as unknown as readonly AttemptEnded[])
    .filter((event) => event.type === 'attempt-ended' && event.key === key)
    .map((event) => Date.parse(event.nextAt) - Date.parse(event.at));
}

describe('retries', () => {
  it('of commands happen only on request, for exit codes 1 and 124 unless `on_exit` lists others', async () => {
    const workspace = new Workspace({
      'w.yaml': `strict_flow: false
steps:
${flaky('Never', 1, 2, '')}${flaky('Once', 1, 2, '    retries: {max: 1, delay_ms: 0}\n')}${flaky('TooFew', 1, 4, '    retries: {max: 2, delay_ms: 0}\n')}${flaky('Other', 2, 2, '    retries: {max: 3, delay_ms: 0}\n')}${flaky('Listed', 2, 2, '    retries: {max: 3, delay_ms: 0, on_exit: [2]}\n')}${flaky('NotListed', 1, 2, '    retries: {max: 3, delay_ms: 0, on_exit: [2]}\n')}  - name: Slow
    command: [bash, -c, "echo x >> n-Slow; test $(wc -l < n-Slow) -ge 2 || sleep 60"]
    timeout_sec: 1.5
    retries: {max: 1, delay_ms: 0}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const seen = ['Never', 'Once', 'TooFew', 'Other', 'Listed', 'NotListed', 'Slow'].map((name) => [
      name,
      workspace.step(name).exit_code,
      workspace.step(name).attempts,
      countOf(workspace, `n-${name}`),
    ]);
    expect(seen).toEqual([
      ['Never', 1, 1, 1],
      ['Once', 0, 2, 2],
      ['TooFew', 1, 3, 3],
      ['Other', 2, 1, 1],
      ['Listed', 0, 2, 2],
      ['NotListed', 1, 1, 1],
      ['Slow', 0, 2, 2],
    ]);
  });

  it('have growing delays up to a limit; each attempt has its own log, and `on.failure` applies after the last', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: X
    command: [bash, -c, "echo try; exit 1"]
    retries: {max: 4, delay_ms: 20, backoff: 3, max_delay_ms: 100}
    on: {failure: {goto: Handled}}
  - name: Handled
    command: [echo, "\${steps.X.exit_code}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const made = pauses(workspace, 'X');
    expect(made).toHaveLength(4);
    for (const [index, least] of [20, 60, 100, 100].entries())
      expect(made[index]).toBeGreaterThanOrEqual(least);
    // Without the limit the last would be 540.
    expect(made[3]).toBeLessThan(540);
    expect(workspace.step('X')).toMatchObject({ attempts: 5, status: 'failed' });
    expect(workspace.step('Handled').output).toBe('1\n');
    expect(fs.readdirSync(path.join(workspace.runFolder(), 'logs')).sort()).toEqual([
      ...['Handled.stdout', 'X.stdout', 'X.try2.stdout', 'X.try3.stdout', 'X.try4.stdout', 'X.try5.stdout'],
      'orchestrator.log',
    ]);
  });

  it('for steps without `retries` come from `--max-retries` and `--retry-delay`', async () => {
    const workspace = new Workspace({
      'w.yaml': `strict_flow: false\nsteps:\n${flaky('Silent', 1, 3, '')}${flaky('Says', 1, 3, '    retries: 0\n')}`,
    });
    const ended = await workspace.run(['run', 'w.yaml', '--max-retries', '2', '--retry-delay', '1']);
    expect(ended.exitCode).toBe(1);
    expect([workspace.step('Silent').attempts, workspace.step('Says').attempts]).toEqual([3, 1]);
  });

  it('of agents happen twice by default, for temporary failures: exit code 1 and 124, not 2', async () => {
    const agent = (name: string, code: number, rest = '') => `  - name: ${name}
    provider: p${code}
    input_file: p.md
${rest}`;
    const provider = (code: number) =>
      `  p${code}: {command: [bash, -c, "cat > /dev/null; echo x >> n-${code}; exit ${code}"], input_mode: stdin}\n`;
    const workspace = new Workspace({
      'p.md': 'Go.',
      'w.yaml': `strict_flow: false
providers:
${[1, 2, 3, 4].map(provider).join('')}steps:
${agent('One', 1)}${agent('Two', 2)}${agent('Three', 3, '    retries: {max: 1, delay_ms: 0}\n')}${agent('Four', 4, '    retries: {max: 3, delay_ms: 0, on_exit: [7]}\n')}`,
    });
    expect(await workspace.run(['run', 'w.yaml', '--retry-delay', '1'])).toMatchObject({ exitCode: 1 });
    expect([1, 2, 3, 4].map((code) => countOf(workspace, `n-${code}`))).toEqual([3, 1, 1, 1]);
    expect(workspace.step('One')).toMatchObject({ exit_code: 1, attempts: 3 });
    expect(workspace.step('Two')).toMatchObject({ exit_code: 2, attempts: 1 });
  });

  it('do not count the wait for a usage limit', async () => {
    const workspace = new Workspace({
      'p.md': 'Go.',
      'w.yaml': `providers:
  m:
    adapter: mock
    script:
      attempts:
        - {outcome: rate-limited, resets_at: "2020-01-01T00:00:00Z"}
        - {answer: done}
steps:
  - {name: X, provider: m, input_file: p.md, retries: 0}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('X')).toMatchObject({ output: 'done', attempts: 1 });
    expect(
      (workspace.journal() as unknown as readonly AttemptEnded[])
        .filter((event) => event.type === 'attempt-ended')
        .map((event) => event.counted),
    ).toEqual([false]);
  });
});
