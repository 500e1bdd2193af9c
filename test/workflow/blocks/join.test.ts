import { describe, expect, it } from 'vitest';
import { Workspace } from '../../rig/orchestrate.ts';
import { markedProcesses, startedSteps } from '../runs.ts';

const FOREVER = 'bash, -c, "touch begun; while :; do sleep 0.05; done"';
const WAITS = 'bash, -c, "while [ ! -e begun ]; do sleep 0.01; done; echo fast"';

describe('`join: any`', () => {
  it('ends with the first branch that succeeds, and stops the others with their processes', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Race
    parallel:
      join: any
      branches:
        - {name: slow, steps: [{name: Slow, command: [${FOREVER}]}, {name: Never, command: [touch, never]}]}
        - {name: bad, steps: [{name: Bad, command: ["false"]}]}
        - {name: asks, steps: [{name: Ask, approve: {message: "Really?"}}]}
        - name: loops
          steps:
            - name: Loop
              for_each: {items: [a, b], max_parallel: 2, steps: [{name: Wait, wait_for: {glob: nothing}}]}
        - {name: fast, steps: [{name: Fast, command: [bash, -c, "while [ ! -e begun ] || ! grep -q '\\"Race/loops/Loop/1/Wait\\"' .orchestrate/runs/*/journal.jsonl; do sleep 0.01; done; echo fast"]}]}
  - {name: After, command: [echo, "\${steps.Fast.output} \${steps.Race.results.slow.status} \${steps.Race.results.bad.status}"]}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(0);
    expect(workspace.step('After').output).toBe('fast cancelled failed\n');
    expect(workspace.step('Race')).toMatchObject({
      status: 'completed',
      decisions: ['`fast` succeeded first, and the others were stopped (`join: any`)'],
      branches: {
        slow: { Slow: { status: 'cancelled', outcome: 'cancelled' } },
        bad: { Bad: { status: 'failed' } },
        fast: { Fast: { status: 'completed' } },
      },
    });
    const state = workspace.state();
    expect(state).toMatchObject({ status: 'completed', totals: { steps_cancelled: 3 } });
    expect(state.for_each['Race/loops/Loop']).toMatchObject({ status: 'cancelled' });
    expect(state.waiting_for).toBeUndefined();
    expect(workspace.has('never')).toBe(false);
    expect(markedProcesses(workspace.runs()[0] ?? '')).toEqual([]);
    expect(ended.stderr).toContain('· Race/slow/Slow  cancelled');
    expect((await workspace.run(['show', 'last'])).stdout).toMatch(/■ Slow\s+cancelled/);
    expect((await workspace.run(['report', 'last', '--format', 'md'])).exitCode).toBe(0);
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
  });

  it('fails with all causes if no branch succeeds, and does not start those that are left after a success', async () => {
    const workspace = new Workspace({
      'bad.yaml': `steps: [{name: Race, parallel: {join: any, steps: [{name: A, command: ["false"]}, {name: B, command: [bash, -c, "exit 3"]}]}}]\n`,
      'one.yaml': `steps: [{name: Race, parallel: {join: any, max_parallel: 1, steps: [{name: A, command: ["true"]}, {name: B, command: ["true"]}]}}]\n`,
    });
    expect(await workspace.run(['run', 'bad.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Race').error?.message).toContain('exit code 3');
    expect(await workspace.run(['run', 'one.yaml'])).toMatchObject({ exitCode: 0 });
    expect(startedSteps(workspace)).toEqual(['Race/A/A']);
  });

  it('in a graph ends with the first step that no other needs, and skips what has not started', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: All
    graph:
      join: any
      steps:
        - {name: Prepare, command: ["true"]}
        - {name: Slow, needs: [Prepare], command: [${FOREVER}]}
        - {name: Later, needs: [Slow], command: ["true"]}
        - {name: Fast, needs: [Prepare], command: [${WAITS}]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('All').branches).toMatchObject({
      Slow: { Slow: { status: 'cancelled' } },
      Later: { Later: { status: 'skipped', decisions: ['skipped: `Fast` succeeded first'] } },
      Fast: { Fast: { status: 'completed' } },
    });
  });

  it('counts the unknown cost of an agent that was stopped, and runs the `finally` of a called workflow', async () => {
    const workspace = new Workspace({
      'called.yaml': `steps: [{name: Work, provider: slow}]
providers: {slow: {adapter: mock, script: {delay_ms: 60000}}}
finally: [{name: Tidy, command: [touch, tidied]}]
`,
      'w.yaml': `steps:
  - name: Race
    parallel:
      join: any
      branches:
        - {name: called, steps: [{name: Call, call: {workflow: called.yaml}}]}
        - {name: fast, steps: [{name: Fast, wait_for: {glob: ".orchestrate/runs/*/prompts/*"}}]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state().totals).toMatchObject({ agent_calls: 1, unknown_cost_calls: 1 });
    expect(workspace.has('tidied')).toBe(true);
  });
});

describe('`join: all_done`', () => {
  it('succeeds whatever the branches did', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Both
    parallel: {join: all_done, steps: [{name: A, command: ["false"]}, {name: B, command: [touch, b]}]}
  - name: All
    graph: {join: all_done, steps: [{name: C, command: ["false"]}, {name: D, needs: [C], command: [touch, d]}]}
  - {name: After, command: [echo, "\${steps.Both.results.A.status} \${steps.All.results.D.status}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('After').output).toBe('failed skipped\n');
    expect(workspace.has('b')).toBe(true);
  });
});
