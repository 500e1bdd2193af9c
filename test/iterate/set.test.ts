/** A loop is changed while it runs. */
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { NO_VERIFY, Project, status, TASK } from './rig.ts';

describe('claude-iterate set', () => {
  it('changes limits and instructions from the next iteration, says so, and the change survives a kill', async () => {
    const project = new Project({ 'new.md': 'Do something else.\n' });
    await project.task();
    const open = status({ complete: false });
    project.agent({ calls: [{ ...open, waitFor: 'one' }, open, { hang: true }, open] });
    const started = project.begin(['run', 'task', ...NO_VERIFY, '-m', '2']);
    await until(() => project.calls().length === 1);
    const changed = await project.iterate(['set', 'task', '-m', '4', '--instructions', 'new.md']);
    expect(changed.stdout).toBe('✓ task from its next iteration: maximum iterations 4, new instructions\n');
    project.allow('one');
    await until(() => project.calls().length === 3);
    process.kill(started.pid, 'SIGKILL');
    const cut = await started.ended;
    expect(cut.stdout).toContain(
      '↻ changed by the user: maximum iterations 4, new instructions\nRunning iteration 2...\n',
    );
    const ended = await project.iterate(['run', 'task']);
    expect(ended.stdout).toContain('⚠️ Reached maximum iterations (4)');
    expect(project.metadata()).toMatchObject({ executionIterations: 4, run: { maxIterations: 4 } });
    const prompts = project.calls().map(({ prompt }) => prompt.split('\n', 1)[0]);
    expect(prompts).toEqual(['Complete the task.', ...Array(4).fill('Do something else.')]);
    expect(project.read(`${TASK}/INSTRUCTIONS.md.kept-1`)).toBe('Complete the task.\n');
    expect(project.log()).toContain(
      '\nCHANGED: changed by the user: maximum iterations 4, new instructions\n',
    );
  });

  it('is refused if the loop is not running, and does not reach the next run', async () => {
    const project = new Project();
    await project.task();
    expect(await project.iterate(['set', 'task', '-m', '4'])).toMatchObject({
      exitCode: 1,
      stderr:
        'error: Workspace is not running: task\nhelp: change its settings with: claude-iterate config -w task <key> <value>\n',
    });
    project.agent({
      calls: [{ ...status({ complete: false }), waitFor: 'go' }, status({ complete: false })],
    });
    const started = project.begin(['run', 'task', ...NO_VERIFY, '-m', '5']);
    await until(() => project.calls().length === 1);
    expect((await project.iterate(['set', 'task', '--budget-calls', '1'])).exitCode).toBe(0);
    project.allow('go');
    expect((await started.ended).stderr).toContain('the budget of 1 call is used up (1 made)');
    const next = await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '2']);
    expect(next.stdout).toContain('⚠️ Reached maximum iterations (2)');
  });
});

describe('claude-iterate pause', () => {
  it('ends the process after the iteration; `run` resumes with the count and the options', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ ...status({ complete: false }), waitFor: 'go' }, status({ complete: true })] });
    const started = project.begin(['run', 'task', ...NO_VERIFY, '-m', '7']);
    await until(() => project.calls().length === 1);
    const listed = async (): Promise<string> => (await project.iterate(['list'])).stdout;
    expect(await listed()).toMatch(/^task +in_progress \(running\) +loop /m);
    const asked = await project.iterate(['pause', 'task']);
    expect(asked.stdout).toBe(`✓ task pauses when its current iteration ends (process ${started.pid})\n`);
    project.allow('go');
    const paused = await started.ended;
    expect(paused.stdout).toContain('⏸ Paused after 1 iteration. Continue: claude-iterate run task\n');
    expect(paused.exitCode).toBe(0);
    expect(project.metadata()).toMatchObject({ status: 'in_progress', stopReason: 'paused' });
    expect(project.has(`${TASK}/.pause`)).toBe(false);
    expect(await listed()).toMatch(/^task +in_progress \(paused\) +loop /m);
    const [json] = JSON.parse((await project.iterate(['list', '--json'])).stdout);
    expect(json).toMatchObject({ name: 'task', state: 'paused' });
    expect(project.calls()).toHaveLength(1);
    const ended = await project.iterate(['run', 'task']);
    expect(ended.stdout).toContain('Continuing after iteration 1 of 7\n');
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(project.metadata()).toMatchObject({ status: 'completed', stopReason: 'complete' });
    expect(project.runs()).toHaveLength(1);
  });
});
