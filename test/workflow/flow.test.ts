import { describe, expect, it } from 'vitest';
import { killAt } from '../rig/kill-at.ts';
import { countOf, until, Workspace } from '../rig/orchestrate.ts';
import { exiting, quiet, startedSteps } from './runs.ts';

/** Runs a workflow and returns the exit code and the commands that were started. */
async function run(
  yaml: string,
  ...flags: readonly string[]
): Promise<{ workspace: Workspace; exitCode: number | null; started: readonly string[] }> {
  const workspace = new Workspace({ 'w.yaml': yaml });
  const { exitCode } = await workspace.run(['run', 'w.yaml', ...flags]);
  return { workspace, exitCode, started: startedSteps(workspace) };
}

describe('the order of steps', () => {
  it('is that of the file by default', async () => {
    const { exitCode, started } = await run(`steps:\n${quiet('A')}${quiet('B')}${quiet('C')}`);
    expect([exitCode, started]).toEqual([0, ['A', 'B', 'C']]);
  });

  it('follows `on.success` after success and `on.failure` after failure', async () => {
    const on = '    on: {success: {goto: Good}, failure: {goto: Bad}}\n';
    const end = '    on: {success: {goto: _end}}\n';
    const tail = `${quiet('Skipped')}${quiet('Bad', end)}${quiet('Good')}`;
    const good = await run(`steps:\n${quiet('A', on)}${tail}`);
    expect([good.exitCode, good.started]).toEqual([0, ['A', 'Good']]);
    const bad = await run(`steps:\n${exiting('A', 7, on)}${tail}`);
    expect([bad.exitCode, bad.started]).toEqual([0, ['A', 'Bad']]);
    expect(bad.workspace.step('A')).toMatchObject({ status: 'failed', exit_code: 7, outcome: 'exit-code' });
    expect(bad.workspace.state()).toMatchObject({ status: 'completed', current_step: null });
  });

  it('follows `on.always` in either case, which overrides the other two', async () => {
    const on = '    on: {success: {goto: B}, failure: {goto: C}, always: {goto: D}}\n';
    const tail = `${quiet('B')}${quiet('C')}${quiet('D')}`;
    expect(await run(`steps:\n${quiet('A', on)}${tail}`)).toMatchObject({ exitCode: 0, started: ['A', 'D'] });
    expect(await run(`steps:\n${exiting('A', 1, on)}${tail}`)).toMatchObject({
      exitCode: 0,
      started: ['A', 'D'],
    });
  });

  it('ends at `_end`', async () => {
    const { exitCode, started } = await run(
      `steps:\n${quiet('A', '    on: {always: {goto: _end}}\n')}${quiet('B')}`,
    );
    expect([exitCode, started]).toEqual([0, ['A']]);
  });

  it('stops at an unhandled failure with exit code 1, whatever the exit code of the step', async () => {
    const { workspace, exitCode, started } = await run(`steps:\n${exiting('A', 2)}${quiet('B')}`);
    expect([exitCode, started]).toEqual([1, ['A']]);
    expect(workspace.state()).toMatchObject({
      status: 'failed',
      error: { step: 'A', type: 'exit-code', message: 'the command ended with exit code 2' },
    });
  });

  it('continues after it with `strict_flow: false` or `--on-error continue`, and the run still fails', async () => {
    const steps = `steps:\n${exiting('A', 5)}${quiet('B')}${exiting('C', 6)}${quiet('D')}`;
    for (const ran of [
      await run(`strict_flow: false\n${steps}`),
      await run(steps, '--on-error', 'continue'),
    ]) {
      expect([ran.exitCode, ran.started]).toEqual([1, ['A', 'B', 'C', 'D']]);
      expect(ran.workspace.state()).toMatchObject({ status: 'failed', error: { step: 'A' } });
    }
    const stopped = await run(`strict_flow: false\n${steps}`, '--on-error', 'stop');
    expect([stopped.exitCode, stopped.started]).toEqual([1, ['A']]);
  });

  it('ignores `--on-error` if a handler applies', async () => {
    const { exitCode, started } = await run(
      `steps:\n${exiting('A', 1, '    on: {failure: {goto: C}}\n')}${quiet('B')}${quiet('C')}`,
      '--on-error',
      'continue',
    );
    expect([exitCode, started]).toEqual([0, ['A', 'C']]);
  });
});

describe('`when`', () => {
  it('skips a step: status `skipped`, exit code 0, no process, no handler', async () => {
    const { workspace, exitCode, started } = await run(
      `steps:\n${quiet('A', '    when: {equals: {left: a, right: b}}\n    on: {always: {goto: _end}}\n')}${quiet('B')}`,
    );
    expect([exitCode, started]).toEqual([0, ['B']]);
    expect(workspace.step('A')).toMatchObject({
      status: 'skipped',
      exit_code: 0,
      outcome: 'skipped',
      attempts: 0,
      decisions: ['skipped: `a` is not `b`'],
    });
  });

  it('supports `equals`, `not_equals`, `exists`, `not_exists`, `all`, `any` and `not`', async () => {
    const yes = 'equals: {left: "1", right: "1"}';
    const no = 'equals: {left: "1", right: "2"}';
    const cases: readonly (readonly [string, boolean])[] = [
      [`{${yes}}`, true],
      [`{${no}}`, false],
      ['{not_equals: {left: "1", right: "2"}}', true],
      ['{not_equals: {left: "1", right: "1"}}', false],
      ['{exists: "in*/*.md"}', true],
      ['{exists: "in*/*.txt"}', false],
      ['{not_exists: "in*/*.txt"}', true],
      ['{not_exists: "in*/*.md"}', false],
      [`{all: [{${yes}}, {exists: "inbox/a.md"}]}`, true],
      [`{all: [{${yes}}, {${no}}]}`, false],
      [`{any: [{${no}}, {exists: "inbox/a.md"}]}`, true],
      [`{any: [{${no}}, {${no}}]}`, false],
      [`{not: {${no}}}`, true],
      [`{not: {all: [{${yes}}, {not: {${no}}}]}}`, false],
    ];
    const steps = cases.map(([when], index) => quiet(`S${index}`, `    when: ${when}\n`)).join('');
    const workspace = new Workspace({ 'w.yaml': `steps:\n${steps}`, 'inbox/a.md': '' });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const ran = cases.map(([when], index) => [when, workspace.step(`S${index}`).status === 'completed']);
    expect(ran).toEqual(cases);
  });

  it('checks files when its step is reached', async () => {
    const { started } = await run(
      `steps:\n  - name: A\n    command: [touch, flag]\n${quiet('B', '    when: {exists: flag}\n')}${quiet('C', '    when: {not_exists: flag}\n')}`,
    );
    expect(started).toEqual(['A', 'B']);
  });
});

describe('a cycle of gotos', () => {
  const cycle = (rest = '') => `steps:
  - name: Count
    command: [bash, -c, "echo x >> n; wc -l < n"]
${rest}  - name: Done
    command: [grep, -q, x, three]
    on: {failure: {goto: Next}}
  - name: Last
    command: ["true"]
    on: {success: {goto: _end}}
  - name: Next
    command: [bash, -c, "[ $(wc -l < n) -lt 3 ] || echo x > three"]
    on: {always: {goto: Count}}
`;

  it('visits its steps again, each visit with its own record and log', async () => {
    const { workspace, exitCode, started } = await run(cycle());
    expect(exitCode).toBe(0);
    expect(started).toEqual([
      ...['Count', 'Done', 'Next', 'Count#2', 'Done#2', 'Next#2', 'Count#3', 'Done#3', 'Next#3'],
      ...['Count#4', 'Done#4', 'Last'],
    ]);
    expect(workspace.step('Count')).toMatchObject({ visits: 4, output: '4\n' });
    expect(workspace.list(`.orchestrate/runs/${workspace.runs()[0]}/logs`)).toEqual(
      expect.arrayContaining(['Count.stdout', 'Count#2.stdout', 'Count#4.stdout']),
    );
  });

  it('without end is stopped by `max_visits` with a clear failure that no handler catches', async () => {
    const { workspace, exitCode } = await run(
      'steps:\n  - name: A\n    max_visits: 3\n    command: [bash, -c, "echo x >> n"]\n    on: {always: {goto: A}}\n',
    );
    expect(exitCode).toBe(1);
    expect(countOf(workspace, 'n')).toBe(3);
    expect(workspace.state().error).toEqual({
      type: 'too-many-visits',
      message: 'step `A` was visited more than 3 times; raise `max_visits` if this is intended',
      step: 'A#4',
      resume: { type: 'raise', limits: ['`max_visits` of `A`'] },
    });
  });
});

describe('`finally`', () => {
  const last = (steps: string) => `finally:\n${steps}`;

  it('runs once after success, after failure and after `_end`, and sees the results', async () => {
    const look = last('  - name: Tidy\n    command: [echo, "${steps.A.exit_code}"]\n');
    for (const [steps, exitCode, seen] of [
      [quiet('A'), 0, '0\n'],
      [exiting('A', 4) + quiet('B'), 1, '4\n'],
      [quiet('A', '    on: {always: {goto: _end}}\n') + quiet('B'), 0, '0\n'],
    ] as const) {
      const ran = await run(`steps:\n${steps}${look}`);
      expect(ran.exitCode).toBe(exitCode);
      expect(ran.started).toEqual(['A', 'Tidy']);
      expect(ran.workspace.step('Tidy').output).toBe(seen);
    }
  });

  it('fails the run if it fails, and does not hide the first cause', async () => {
    const alone = await run(`steps:\n${quiet('A')}${last(exiting('Tidy', 9))}`);
    expect(alone.exitCode).toBe(1);
    expect(alone.workspace.state().error).toMatchObject({ step: 'Tidy' });
    const both = await run(`steps:\n${exiting('A', 4)}${last(exiting('Tidy', 9))}`);
    expect(both.exitCode).toBe(1);
    expect(both.workspace.state().error).toMatchObject({
      step: 'A',
      message: 'the command ended with exit code 4',
    });
    expect(both.workspace.step('Tidy')).toMatchObject({ status: 'failed', exit_code: 9 });
  });

  it('runs again completely after a failed run was resumed', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: A
    command: [bash, -c, "echo x >> a"]
  - name: B
    command: [test, -e, fixed]
${last(`  - name: Tidy
    for_each:
      items: [p, q]
      steps:
        - name: Sweep
          command: [bash, -c, "echo x >> tidy"]
`)}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect([countOf(workspace, 'a'), countOf(workspace, 'tidy')]).toEqual([1, 4]);
    expect(workspace.state()).toMatchObject({ status: 'completed' });
    expect(workspace.state()).not.toHaveProperty('error');
  });

  const GATED = `steps:
  - {name: A, command: [bash, -c, "echo A >> log"]}
  - {name: B, command: [bash, -c, "echo B >> log; test -e fixed"]}
${last('  - {name: Tidy, command: [bash, -c, "echo Tidy >> log"]}\n')}`;

  it('runs exactly once at each end of a run, after retried steps', async () => {
    const workspace = new Workspace({ 'w.yaml': GATED });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.read('log')).toBe('A\nB\nTidy\n');
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    expect(workspace.read('log')).toBe('A\nB\nTidy\nB\nTidy\n');
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('log')).toBe('A\nB\nTidy\nB\nTidy\nB\nTidy\n');
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('log')).toBe('A\nB\nTidy\nB\nTidy\nB\nTidy\n');
  });

  it('runs at an interruption, and again at the end of the resumed run', async () => {
    const workspace = new Workspace({
      'w.yaml': GATED.replace('test -e fixed', 'touch begun; test -e fixed || sleep 300'),
    });
    const interrupted = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    interrupted.child.kill('SIGINT');
    await interrupted.ended;
    expect(workspace.read('log')).toBe('A\nB\nTidy\n');
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('log')).toBe('A\nB\nTidy\nB\nTidy\n');
  });

  it('runs first when a run killed after a failed step is resumed, which then ends', async () => {
    const workspace = new Workspace({ 'w.yaml': GATED });
    await workspace.run(['run', 'w.yaml']);
    const failed = workspace.journal().findIndex(({ type, key }) => type === 'step-ended' && key === 'B');
    workspace.remove('.orchestrate');
    workspace.remove('log');
    // The header is a line too.
    const env = killAt({ when: 'after', kind: 'write', file: 'journal.jsonl', number: failed + 2 });
    expect(await workspace.run(['run', 'w.yaml'], { env })).toMatchObject({ signal: 'SIGKILL' });
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    expect(workspace.read('log')).toBe('A\nB\nTidy\n');
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('log')).toBe('A\nB\nTidy\nB\nTidy\n');
  });

  it('is resumed at its failed step if the rest succeeded', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - name: A\n    command: [bash, -c, "echo x >> a"]\n${last(
        '  - name: T1\n    command: [bash, -c, "echo x >> t1"]\n  - name: T2\n    command: [test, -e, fixed]\n',
      )}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect([countOf(workspace, 'a'), countOf(workspace, 't1')]).toEqual([1, 1]);
  });
});
