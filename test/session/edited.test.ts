import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { type Json, SessionWorkspace, task } from './rig.ts';

const agent = (title: string): Json => ({ title });
const command = (text: string): Json => ({ title: text, command: text });
const look = (step: string, script: string, more: Json = {}): Json => ({
  ...{ step, action: 'look', command: `bash(${script})` },
  ...more,
});
/** Writes its name into `log`, so that it is seen how often it ran. */
const logs = (name: string, script = 'true'): string => `echo ${name} >> log; ${script}`;

interface Flow {
  readonly analysis?: readonly Json[];
  readonly steps?: readonly Json[];
  readonly acceptance?: readonly string[];
  readonly dependsOn?: readonly string[];
  readonly role?: string;
}

function written({ analysis = [], steps = [], acceptance = [], dependsOn = [], role }: Flow): Json {
  return task('IMPL-1', {
    ...(role === undefined ? {} : { meta: { agent: role } }),
    context: { acceptance, depends_on: dependsOn },
    flow_control: { pre_analysis: analysis, implementation_approach: steps },
  });
}

/** As a person does it: everything but the bookkeeping. */
function edit(workspace: SessionWorkspace, flow: Flow): void {
  const { meta, context, flow_control } = written(flow);
  workspace.putTask({ ...workspace.task('IMPL-1'), meta, context, flow_control });
}

const log = (workspace: SessionWorkspace): readonly string[] =>
  workspace.has('log') ? workspace.read('log').trim().split('\n') : [];

async function blocked(flow: Flow, env?: { readonly PATH: string }, of = new SessionWorkspace()) {
  await of.begin([written(flow)]);
  const ended = await of.run(['execute', '--quiet'], env === undefined ? {} : { env });
  expect(ended.exitCode, ended.stderr).toBe(1);
  return of;
}

async function resume(workspace: SessionWorkspace, env?: { readonly PATH: string }): Promise<void> {
  await workspace.ok(['resume', 'last', '--trust', '--quiet'], env === undefined ? {} : { env });
  expect(workspace.task('IMPL-1')['status']).toBe('completed');
  expect(workspace.runs()).toHaveLength(1);
}

describe('a task that is edited while it is blocked', () => {
  it('is executed as it is now if a step of the agent has become a command', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    await blocked({ steps: [agent('think'), command('false')] }, env, workspace);
    edit(workspace, { steps: [command(logs('A')), command(logs('B'))] });
    await resume(workspace, env);
    expect(log(workspace)).toEqual(['A', 'B']);
    expect(workspace.task('IMPL-1')['execution']).toMatchObject({ cost_usd: 0.01 });
  });

  it('asks the agent only for what it has not done if a command has become a step of the agent', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    await blocked({ steps: [agent('think'), command('false')] }, env, workspace);
    edit(workspace, { steps: [agent('think'), agent('write')] });
    await resume(workspace, env);
    expect(workspace.prompts()).toHaveLength(2);
    expect(workspace.task('IMPL-1')['execution']).toMatchObject({ cost_usd: 0.02 });
  });

  it('runs no completed step twice if steps are added, removed and reordered', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    const [a, b] = [command(logs('A')), command(logs('B'))];
    await blocked({ steps: [a, agent('think'), b, command(logs('C', 'false'))] }, env, workspace);
    edit(workspace, { steps: [command(logs('new')), b, agent('think'), command(logs('D'))] });
    await resume(workspace, env);
    expect(log(workspace)).toEqual(['A', 'B', 'C', 'new', 'D']);
    expect(workspace.prompts()).toHaveLength(1);
  });

  it('keeps its results if it is edited and fails once more', async () => {
    const [a, b] = [command(logs('A')), command(logs('B'))];
    const workspace = await blocked({ steps: [a, command('false')] });
    edit(workspace, { steps: [b, a, command('exit 2')] });
    expect((await workspace.run(['resume', 'last', '--trust', '--quiet'])).exitCode).toBe(1);
    edit(workspace, { steps: [command(logs('C')), a, b] });
    await resume(workspace);
    expect(log(workspace)).toEqual(['A', 'B', 'C']);
  });

  it('finds the results of renamed and moved steps before the implementation, and repeats those that use a changed one', async () => {
    const workspace = await blocked({
      analysis: [
        look('first', logs('first', 'echo 1'), { output_to: 'one' }),
        look('second', logs('second')),
        look('third', logs('third', 'echo [one] > third'), { output_to: 'three' }),
        look('last', logs('last', 'false')),
      ],
      steps: [command('true')],
    });
    edit(workspace, {
      analysis: [
        look('renamed', logs('second')),
        look('first', logs('changed', 'echo 2'), { output_to: 'one' }),
        look('third', logs('third', 'echo [one] > third'), { output_to: 'three' }),
        look('last', logs('last')),
      ],
      steps: [command('true')],
    });
    await resume(workspace);
    expect(log(workspace)).toEqual(['first', 'second', 'third', 'last', 'changed', 'third', 'last']);
    expect(workspace.read('third')).toBe('2\n');
  });

  it('is not accepted by a check that it had passed before its work was changed', async () => {
    const workspace = await blocked({
      steps: [command(logs('A'))],
      acceptance: [`command: ${logs('check')}`, 'command: test -e good'],
    });
    workspace.write({ good: '' });
    edit(workspace, {
      steps: [command(logs('A')), command(logs('B'))],
      acceptance: [`command: ${logs('check')}`, `command: ${logs('other')}`],
    });
    await resume(workspace);
    expect(log(workspace)).toEqual(['A', 'check', 'B', 'check', 'other']);
  });

  it('can be asked for a decision, and has the role of its new agent', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    workspace.write({ '.claude/agents/careful.md': 'Be careful.\n' });
    await blocked({ analysis: [look('check', 'false')], steps: [agent('think')] }, env, workspace);
    const on_error = 'manual_intervention';
    edit(workspace, {
      analysis: [look('check', 'false', { on_error })],
      steps: [agent('think')],
      role: 'careful',
    });
    expect((await workspace.run(['resume', 'last', '--trust', '--quiet'], { env })).exitCode).toBe(3);
    const status = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
    const [{ run_id: run, key }] = status.questions;
    await workspace.ok(['approve', run, key, '--choose', 'skip']);
    await resume(workspace, env);
    expect(JSON.stringify(workspace.prompts())).toContain('Be careful.');
  });

  it('is not executed before a dependency that it has now', async () => {
    const workspace = await blocked({ steps: [command(logs('A', 'test -e made'))] });
    const made = task('IMPL-2', { flow_control: { implementation_approach: [command('touch made')] } });
    workspace.putTask(made);
    edit(workspace, { steps: [command(logs('A', 'test -e made'))], dependsOn: ['IMPL-2'] });
    const refused = await workspace.run(['resume', 'last', '--trust', '--quiet']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('it now depends on `IMPL-2`, which is not completed');
    expect(log(workspace)).toEqual(['A']);
    const [first = ''] = workspace.runs();
    await workspace.run(['execute', '--quiet']);
    await workspace.ok(['resume', first, '--trust', '--quiet']);
    expect(log(workspace)).toEqual(['A', 'A']);
    expect(workspace.task('IMPL-1')['status']).toBe('completed');
  });
});

describe('a step before the implementation', () => {
  it('may have any name, also one that the program uses', async () => {
    const names = ['task', 'tree', 'worktree', 'save', 'review', 'outline', 'implementation', 'acceptance'];
    const workspace = new SessionWorkspace();
    workspace.initGit();
    await workspace.begin([
      written({ analysis: names.map((name) => look(name, logs(name))), steps: [command(logs('A'))] }),
    ]);
    const waits = await workspace.run(['execute', '--review', '--quiet']);
    expect(waits.exitCode, waits.stderr).toBe(3);
    await workspace.ok(['task', 'review', 'IMPL-1', 'accept']);
    await workspace.ok(['execute', '--quiet']);
    expect(log(workspace)).toEqual([...names, 'A']);
  });
});

describe('a task that is edited while its run is interrupted', () => {
  it('continues as it is now, and runs no completed step twice', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    const endless = command('touch begun; while true; do sleep 0.05; done');
    await workspace.begin([written({ steps: [command(logs('A')), agent('think'), endless] })]);
    const running = workspace.start(['execute', '--quiet'], { env });
    await until(() => workspace.has('begun'));
    running.child.kill('SIGKILL');
    await running.ended;
    edit(workspace, { steps: [command(logs('B')), command(logs('A')), agent('think'), command(logs('C'))] });
    await workspace.ok(['execute', '--quiet'], { env });
    expect(log(workspace)).toEqual(['A', 'B', 'C']);
    expect(workspace.prompts()).toHaveLength(1);
    expect(workspace.task('IMPL-1')).toMatchObject({
      status: 'completed',
      execution: { attempts: 1, cost_usd: 0.01 },
    });
    expect(workspace.runs()).toHaveLength(1);
  });
});
