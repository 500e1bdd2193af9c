/** What a run was started with is kept when it is resumed. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lastInput } from '../../src/engine/last-input.ts';
import { until } from '../rig/orchestrate.ts';
import { NO_VERIFY, Project, status, TASK } from './rig.ts';

/** Kills the run while its second call hangs. */
async function killed(project: Project, flags: readonly string[]): Promise<void> {
  const started = project.begin(['run', 'task', ...NO_VERIFY, ...flags]);
  await until(() => project.calls().length === 2);
  process.kill(started.pid, 'SIGKILL');
  await started.ended;
}

describe('a resumed run', () => {
  it('keeps its budget', async () => {
    const project = new Project();
    await project.task();
    const dear = status({ complete: false }, { cost: 0.6 });
    project.agent({ calls: [dear, { ...dear, hang: true }, dear] });
    await killed(project, ['--budget-usd', '1']);
    const ended = await project.iterate(['run', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      'the budget of 1 USD is used up (1.2000 USD spent and 1 call of unknown cost)',
    );
    expect(ended.stdout).toContain(
      '  Continue with a new budget: claude-iterate run task --no-delay --budget-usd 1 --no-verify\n',
    );
    expect(project.metadata()).toMatchObject({ stopReason: 'budget', executionIterations: 2 });
    expect(project.runs()).toHaveLength(1);
  });

  it('keeps its agent, permissions, checks, limits and time limit; new flags replace them one by one', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }), { hang: true }, status({ complete: false })] });
    await killed(project, [
      ...['--dangerously-skip-permissions', '--max-iterations', '4', '--check', 'test -f done'],
      ...['--iteration-timeout', '300', '--budget-calls', '30'],
    ]);
    const ended = await project.iterate(['run', 'task', '--max-iterations', '3']);
    expect(ended.stdout).toContain('⚠️ Reached maximum iterations (3)');
    expect(project.calls().at(-1)?.argv).toContain('--dangerously-skip-permissions');
    const input = lastInput(project.journal() as never);
    expect(input).toMatchObject({
      maxIterations: 3,
      delayMs: 0,
      timeoutMs: 300_000,
      budget: { calls: 30 },
      checks: [['test', '-f', 'done']],
      permissions: 'bypass',
      verification: { autoVerify: false },
    });
    expect(ended.stdout).toContain(
      "  - Continue: claude-iterate run task --max-iterations 3 --no-delay --dangerously-skip-permissions --budget-calls 30 --iteration-timeout 300 --no-verify --check 'test -f done'\n",
    );
  });

  it('keeps an agent that is a command of the user', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{}] });
    const command = path.join(project.elsewhere, 'agent');
    const calls = path.join(project.elsewhere, 'called');
    fs.writeFileSync(
      command,
      `#!/bin/sh\ncat > /dev/null\necho x >> ${calls}\n[ $(wc -l < ${calls}) = 2 ] && exec sleep 600\n` +
        `[ $(wc -l < ${calls}) = 3 ] && echo '{"complete": true}' > ${TASK}/.status.json\nexit 0\n`,
      { mode: 0o755 },
    );
    const called = (): number => (fs.existsSync(calls) ? fs.readFileSync(calls, 'utf8').length / 2 : 0);
    const started = project.begin(['run', 'task', ...NO_VERIFY, '--agent', command]);
    await until(() => called() === 2);
    process.kill(started.pid, 'SIGKILL');
    await started.ended;
    const ended = await project.iterate(['run', 'task']);
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(called()).toBe(3);
    expect(project.calls()).toHaveLength(0);
  });

  it('keeps the limits of iterations that already ran: a lower one ends it where it is', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }), { hang: true }] });
    await killed(project, []);
    const ended = await project.iterate(['run', 'task', '--budget-calls', '1']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('the budget of 1 call is used up (1 made)');
    expect(project.metadata()).toMatchObject({ executionIterations: 1, stopReason: 'budget' });
  });
});

describe('a budget', () => {
  it('in money is refused for an agent that does not report its cost, unless another budget limits it', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const flags = ['--agent', 'sh -c "cat > /dev/null"', '--budget-usd', '1'];
    const refused = await project.iterate(['run', 'task', ...NO_VERIFY, ...flags]);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr:
        'error: --budget-usd has no effect: the agent `sh -c "cat > /dev/null"` does not report its cost\n' +
        'help: use --budget-calls, --budget-tokens or --budget-minutes\n',
    });
    expect(project.runs()).toHaveLength(0);
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, ...flags, '--budget-calls', '2']);
    expect(ended.stderr).toContain('the budget of 2 calls is used up (2 made)');
    expect(ended.exitCode).toBe(1);
  });

  it('in money is passed to the agent: what is left of it', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }, { cost: 0.25 }), status({ complete: true })] });
    await project.iterate(['run', 'task', ...NO_VERIFY, '--budget-usd', '1']);
    expect(project.calls().map(({ argv }) => argv.find((word) => word.startsWith('--max-budget')))).toEqual([
      '--max-budget-usd=1',
      '--max-budget-usd=0.75',
    ]);
  });

  it('stops an agent that reaches it in the middle: its work is counted, the loop ends', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        status(
          { complete: false, progress: { completed: 1, total: 4 }, summary: 'half' },
          { error: { subtype: 'error_max_budget_usd', is_error: true, total_cost_usd: 1.02 } },
        ),
      ],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--budget-usd', '1']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('⚠️ Iteration 1 was stopped by its budget (3 items remaining)\n');
    expect(ended.stderr).toContain(
      '❌ Stopped after 1 iteration: the budget of 1 USD is used up (1.0200 USD spent)\n',
    );
    expect(project.metadata()).toMatchObject({
      status: 'in_progress',
      stopReason: 'budget',
      executionIterations: 1,
      run: { summary: 'half', cutBy: 'budget' },
    });
  });

  it('in tokens counts those of every call', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--budget-tokens', '40']);
    expect(ended.stderr).toContain('the budget of 40 tokens is used up (45 tokens used)');
    expect(project.calls()).toHaveLength(3);
  });

  it('in minutes, fractions too, ends an agent that takes longer', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }, { hang: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--budget-minutes', '0.03']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('⚠️ Iteration 1 was stopped by its budget\n');
    expect(ended.stderr).toMatch(/❌ Stopped after 1 iteration: .*\n/);
    expect(project.metadata()).toMatchObject({ stopReason: 'budget', executionIterations: 1 });
  });

  it('is kept for the verification too: a claim that cannot be verified is not complete', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })], verifications: [{}] });
    const ended = await project.iterate(['run', 'task', '--no-delay', '--budget-calls', '1']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('the budget of 1 call is used up (1 made)');
    expect(project.calls('verifications')).toHaveLength(0);
    expect(project.metadata()).toMatchObject({ status: 'in_progress', stopReason: 'budget' });
  });
});

describe('the output of a run', () => {
  it('has its progress on stdout, and warnings and errors on stderr', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }), { error: { api_error_status: 401 }, text: 'no' }] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--dangerously-skip-permissions']);
    expect(ended.stdout).toBe(
      'Agent: claude 9.9.9 (Stand-in)\nRunning iteration 1...\n✓ Iteration 1 complete\nRunning iteration 2...\n  Cost: $0.0100\n',
    );
    expect(ended.stderr).toBe(
      '⚠️ Permission prompts are skipped: the agent may change files and run commands without asking.\n' +
        '❌ Iteration 2 failed: the agent is not signed in or its key was rejected: no\n',
    );
  });

  it('says before the first call that the agent may not write, and how to allow it', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--check', 'true']);
    expect(ended.stderr).toBe(
      '⚠️ The agent cannot ask for permission: it may do only what its own settings allow, by default not even write files.\n' +
        '   Allow everything: claude-iterate run task --no-delay --no-verify --check true --dangerously-skip-permissions\n',
    );
  });

  it('says with `ask` rules what is left to the settings of the agent', async () => {
    const ask = [{ tool: 'Bash', do: 'ask' }];
    const project = new Project({ '.claude-iterate.json': JSON.stringify({ ask }) });
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.iterate(['--trust', 'run', 'task', ...NO_VERIFY]);
    expect(ended.stderr).toContain(
      '⚠️ Apart from the calls that your `ask` rules decide, the agent may do only what its own settings allow, by default not even write files.\n' +
        '   Allow everything else: claude-iterate run task --no-delay --no-verify --dangerously-skip-permissions\n',
    );
    expect(ended.stderr).not.toContain('cannot ask');
  });

  it.each([
    [['--dangerously-skip-permissions'], /^⚠️ Permission prompts are skipped/],
    [['--permission-mode', 'bypassPermissions'], /^⚠️ Permission prompts are skipped/],
    [['--allowedTools', 'Write'], /^$/],
  ])('warns by what %j in `claude.args` allows', async (args, expected) => {
    const project = new Project({ '.claude-iterate.json': JSON.stringify({ claude: { args } }) });
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.iterate(['--trust', 'run', 'task', ...NO_VERIFY]);
    expect(ended.stderr.replace(/^trusted from now on[\s\S]*?\n(?=⚠|$)/, '')).toMatch(expected);
  });
});
