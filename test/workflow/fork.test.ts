import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';
import { startedSteps } from './runs.ts';

const yaml = (third = 'echo third') => `context: {who: nobody}
steps:
  - {name: First, command: [bash, -c, "echo x >> first; echo $RANDOM \${run.timestamp_utc}"]}
  - name: Loop
    for_each:
      items: [a, b, c]
      steps:
        - {name: Work, command: [bash, -c, "echo x >> work-$0", "\${item}"]}
        - {name: More, command: [bash, -c, "echo x >> more-$0", "\${item}"]}
  - {name: Third, command: [bash, -c, "${third}; echo $0 \${run.timestamp_utc}", "\${steps.First.output} \${context.who}"]}
  - {name: Last, command: [bash, -c, "exit 1"]}
`;

describe('`fork`', () => {
  it('starts a new run that shares everything before the step, with the current workflow', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml() });
    expect(await workspace.run(['run', 'w.yaml', '--context', 'who=ann'])).toMatchObject({ exitCode: 1 });
    const [first = ''] = workspace.runs();
    workspace.write({ 'w.yaml': yaml('echo other') });
    expect(await workspace.run(['fork', first, '--from', 'Third'])).toMatchObject({ exitCode: 1 });
    expect(workspace.runs()).toHaveLength(2);
    expect(startedSteps(workspace)).toEqual(['Third', 'Last']);
    const said = workspace.step('First', first).output ?? '';
    expect(workspace.step('First').output).toBe(said);
    expect(workspace.step('Third').output).toBe(`other\n${said.trim()} ann ${first.slice(0, 16)}\n`);
    expect(workspace.state()).toMatchObject({ forked_from: first, context: { who: 'ann' } });
    expect(workspace.state().for_each['Loop']).toMatchObject({ completed_indices: [0, 1, 2] });
    expect(countOf(workspace, 'first')).toBe(1);
    // The old run is unchanged.
    expect(workspace.step('Third', first).output).toContain('third\n');
    expect(workspace.state(first).status).toBe('failed');
  });

  it('does not pass the time of the original run to a restart, which shares nothing', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml() });
    await workspace.run(['run', 'w.yaml']);
    await workspace.run(['fork', 'last', '--from', 'Third']);
    await workspace.run(['resume', 'last', '--force-restart']);
    const restarted = workspace.runs()[2] ?? '';
    expect(workspace.step('First', restarted).output).toMatch(new RegExp(` ${restarted.slice(0, 16)}\n$`));
  });

  it('can start anywhere: at an item of a loop, or at a step inside it', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml() });
    await workspace.run(['run', 'w.yaml']);
    const [first = ''] = workspace.runs();
    await workspace.run(['fork', first, '--from', 'Loop/1/More']);
    const counts = () =>
      ['work-a', 'more-a', 'work-b', 'more-b', 'work-c'].map((name) => countOf(workspace, name));
    expect(counts()).toEqual([1, 1, 1, 2, 2]);
    await workspace.run(['fork', first, '--from', 'More']);
    expect(counts()).toEqual([1, 2, 2, 3, 3]);
  });

  it('rejects what it cannot share: a step the run never reached, and a change before the step', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml() });
    await workspace.run(['run', 'w.yaml']);
    const none = await workspace.run(['fork', 'last', '--from', 'Nowhere']);
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      expect.stringContaining('has no step `Nowhere` (not reached, or misspelt)'),
    ]);
    workspace.write({ 'w.yaml': yaml().replace('work-$0', 'elsewhere-$0') });
    const changed = await workspace.run(['fork', 'last', '--from', 'Third']);
    expect([changed.exitCode, changed.stderr]).toEqual([
      2,
      'error: `w.yaml` has changed in steps before `Third`: Work\nhelp: fork from the first of them instead\n',
    ]);
    expect(workspace.runs()).toHaveLength(1);
  });
});
