import { describe, expect, it } from 'vitest';
import type { RunState, StateSteps, StepState } from '../../src/model/run-state.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { retime } from './runs.ts';

const DAY_MS = 24 * 3600_000;

/** Each list of a state must not take longer than what contains it. */
function expectSums(state: RunState): void {
  const sumOf = (steps: StateSteps, path: string): number =>
    Object.entries(steps).reduce((sum, [name, step]) => {
      const key = path === '' ? name : `${path}/${name}`;
      if (!Array.isArray(step)) return sum + checked(step, key);
      const inner = step.reduce((total, item, index) => total + sumOf(item, `${key}/${index}`), 0);
      const loop = state.for_each[key]?.duration_ms ?? 0;
      expect.soft(inner, `inside ${key}`).toBeLessThanOrEqual(loop);
      return sum + loop;
    }, 0);
  const checked = (step: StepState, key: string): number => {
    const iterations = (step.iterations ?? []).map((each, index) => sumOf(each, `${key}/${index}`));
    const inner = iterations.reduce((sum, each) => sum + each, 0) + sumOf(step.steps ?? {}, key);
    expect.soft(inner, `inside ${key}`).toBeLessThanOrEqual(step.duration_ms ?? 0);
    return step.duration_ms ?? 0;
  };
  expect(sumOf(state.steps, '')).toBeLessThanOrEqual(state.duration_ms);
}

describe('a duration is the time in which the run worked', () => {
  it('so a run adds up that waited for a person for a day, inside a loop', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Each
    for_each:
      items: [a, b]
      steps:
        - {name: Work, command: [sleep, "0.2"]}
        - name: Twice
          repeat:
            max_iterations: 1
            until: {exists: w.yaml}
            steps:
              - {name: Ask, approve: {message: ok?, choices: [yes]}}
        - {name: More, command: [sleep, "0.1"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    for (const item of [0, 1]) {
      retime(workspace, (at) => at - DAY_MS);
      await workspace.run(['approve', 'last', `Each/${item}/Twice/0/Ask`, '--choose', 'yes']);
      expect((await workspace.run(['resume', 'last'])).exitCode).toBe(item === 0 ? 3 : 0);
    }
    const state = workspace.state();
    expectSums(state);
    expect(state.duration_ms).toBeLessThan(DAY_MS / 2);
    expect(workspace.iterations('Each')[0]?.['Twice']?.iterations?.[0]?.['Ask']).toMatchObject({
      wait_duration_ms: expect.toSatisfy((ms: number) => ms > DAY_MS / 2),
      duration_ms: expect.toSatisfy((ms: number) => ms < DAY_MS / 2),
    });
  });

  it('so a step that was killed and repeated has the time of both, and no list takes longer than its container', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Each
    for_each:
      items: [a]
      steps:
        - {name: Slow, command: [test, -e, again], retries: {max: 1, delay_ms: 1500}}
`,
    });
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.runs().length > 0 && workspace.journal().at(-1)?.type === 'attempt-ended');
    run.child.kill('SIGKILL');
    await run.ended;
    // As if the process had started it an hour before it was killed, a day ago.
    let count = 0;
    const last = workspace.journal().length;
    retime(workspace, (at) => {
      count += 1;
      return count === last ? at - DAY_MS : at - DAY_MS - 3600_000;
    });
    workspace.write({ again: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    const state = workspace.state();
    expectSums(state);
    expect(workspace.iterations('Each')[0]?.['Slow']?.duration_ms).toBeGreaterThanOrEqual(3600_000);
    expect(state.duration_ms).toBeLessThan(DAY_MS / 2);
  });
});
