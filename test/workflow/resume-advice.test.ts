import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

/** How a file is changed so that the run can be resumed, and the advice shown. */
const LIMITS = [
  [
    '`max_iterations` of `Poll`',
    `steps:
  - {name: Poll, repeat: {max_iterations: 2, until: {exists: looks-3}, steps: [{name: Look, command: [touch, "looks-\${loop.index}"]}]}}
`,
    'max_iterations: 2',
    'max_iterations: 9',
  ],
  [
    '`max_visits` of `A`',
    `steps:
  - {name: A, max_visits: 2, command: [bash, -c, "echo x >> a; [ $(wc -l < a) -ge 4 ]"], on: {failure: {goto: A}}}
`,
    'max_visits: 2',
    'max_visits: 9',
  ],
  [
    '`budget`',
    `budget: {usd: 1}
providers: {mock: {script: {answer: ok, cost_usd: 1.5}}}
steps:
  - {name: P, provider: mock, input_file: p.md}
  - {name: Q, provider: mock, input_file: p.md}
`,
    'usd: 1}',
    'usd: 9}',
  ],
] as const;

/** Outcomes of an agent that a retry would only pay for again, and the advice shown. */
const FIRST = [
  ['denied', 'set `allowed_tools: [Write]` or `permissions: bypass` for `P`', ' --accept-changes'],
  ['auth', 'sign in to the agent, or set its key', ''],
  ['invalid-input', 'change what the agent rejected in `P`', ' --accept-changes'],
  ['max-turns', 'raise `max_turns` of `P` in w.yaml', ' --accept-changes'],
] as const;

describe('a failed run that plain resuming would not help', () => {
  it.each(LIMITS)(
    'because of %s says which limit to raise, and can then be resumed',
    async (limit, yaml, before, after) => {
      const workspace = new Workspace({ 'w.yaml': yaml, 'p.md': 'Do it.' });
      const ended = await workspace.run(['run', 'w.yaml']);
      const [runId = ''] = workspace.runs();
      const advice = `raise ${limit} in w.yaml, then orchestrate resume ${runId} --accept-changes\n`;
      expect(ended.stderr).toContain(`  to continue: ${advice}`);
      expect((await workspace.run(['show', 'last'])).stdout).toContain(`to continue:  ${advice}`);
      workspace.write({ 'w.yaml': yaml.replace(before, after) });
      expect(await workspace.run(['resume', runId, '--accept-changes'])).toMatchObject({ exitCode: 0 });
    },
  );

  it.each(FIRST)('because its agent ended %s says what to do first', async (outcome, deed, flag) => {
    const tools = outcome === 'denied' ? ', tools: [{name: Write}]' : '';
    const workspace = new Workspace({
      'p.md': 'Do it.',
      'w.yaml': `providers: {mock: {script: {outcome: ${outcome}${tools}}}}
steps: [{name: P, provider: mock, input_file: p.md, retries: 0}]
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    const advice = `${deed}, then orchestrate resume ${workspace.runs()[0]}${flag}\n`;
    expect(ended.stderr).toContain(`  to continue: ${advice}`);
    expect((await workspace.run(['show', 'last'])).stdout).toContain(`to continue:  ${advice}`);
  });

  it('whose items were moved away says to start a new run', async () => {
    const workspace = new Workspace({
      'inbox/a.task': '',
      'w.yaml': `steps:
  - name: Each
    for_each:
      items: [inbox/a.task]
      on_item_complete: {failure: {move_to: failed}}
      steps: [{name: Work, command: [test, -e, go]}]
finally: [{name: Tidy, command: ["true"]}]
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.stderr).toContain(
      '  to continue: fix what failed, then orchestrate run w.yaml (resuming would fail in the same way)\n',
    );
    workspace.write({ go: '', 'inbox/a.task': '' });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  });

  it('with a step that can be retried says to resume', async () => {
    const workspace = new Workspace({ 'w.yaml': 'steps: [{name: A, command: [test, -e, go]}]\n' });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.stderr).toContain(`  to continue: orchestrate resume ${workspace.runs()[0]}\n`);
  });
});
