import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { NO_VERIFY, Project, status, TASK } from './rig.ts';

describe('claude-iterate run: before the first iteration', () => {
  it('reports that the Claude CLI is missing', async () => {
    const project = new Project();
    await project.task();
    const ended = await project.iterate(['run', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe("error: Claude CLI not found. Make sure 'claude' is installed and in PATH.\n");
    expect(project.runs()).toEqual([]);
  });

  it('reports missing instructions and runs nothing', async () => {
    const project = new Project();
    project.agent({});
    await project.iterate(['init', 'task']);
    const ended = await project.iterate(['run', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe('error: Instructions not found. Run setup first: claude-iterate setup task\n');
    expect(project.calls()).toEqual([]);
  });

  it('reports a missing workspace', async () => {
    const project = new Project();
    const ended = await project.iterate(['run', 'nothing']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe('error: Workspace not found: nothing\nhelp: claude-iterate init nothing\n');
  });

  it.each([[['--verbose', '--quiet']], [['-v', '--output', 'quiet']], [['-q', '--output', 'verbose']]])(
    'refuses two output flags: %s',
    async (flags) => {
      const project = new Project();
      project.agent({});
      await project.task();
      const ended = await project.iterate(['run', 'task', ...flags]);
      expect(ended.exitCode).toBe(1);
      expect(ended.stderr).toBe('error: Use only one of --verbose, --quiet and --output.\n');
    },
  );

  it.each([
    [['--output', 'loud'], 'error: Invalid output level: loud. Use quiet, progress or verbose.\n'],
    [
      ['--check', 'npm test && true'],
      "error: the check cannot be run: `&&` in `npm test && true` needs a shell, but none is used; write `sh -c '…'` to use one\n",
    ],
  ])('refuses %s', async (flags, message) => {
    const project = new Project();
    project.agent({});
    await project.task();
    const ended = await project.iterate(['run', 'task', ...flags]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(message);
    expect(project.runs()).toEqual([]);
  });

  it('exits with 1 on wrong usage', async () => {
    const project = new Project();
    await project.task();
    expect((await project.iterate(['run', 'task', '--max-iterations', '0'])).exitCode).toBe(1);
    expect((await project.iterate(['run', 'task', '--no-such'])).exitCode).toBe(1);
    expect((await project.iterate(['frobnicate'])).exitCode).toBe(1);
    expect((await project.iterate(['--help'])).exitCode).toBe(0);
    expect((await project.iterate(['--version'])).stdout).toMatch(/^claude-iterate \d+\.\d+\.\d+\n$/);
  });
});

describe('claude-iterate run: loop mode', () => {
  it('runs until the status says that the task is complete', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        status({ complete: false, progress: { completed: 1, total: 3 }, summary: 'one' }),
        status({ complete: false, progress: { completed: 2, total: 3 }, summary: 'two' }),
        status({ complete: true, progress: { completed: 3, total: 3 }, summary: 'three' }),
      ],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stdout).toBe(
      [
        'Agent: claude 9.9.9 (Stand-in)',
        'Running iteration 1...',
        '✓ Iteration 1 complete (2 items remaining)',
        'Running iteration 2...',
        '✓ Iteration 2 complete (1 item remaining)',
        'Running iteration 3...',
        '✓ Iteration 3 complete (0 items remaining)',
        '✓ Task completed successfully after 3 iterations',
        '  Cost: $0.0300',
        '',
      ].join('\n'),
    );
    expect(ended.exitCode).toBe(0);
    expect(project.metadata()).toMatchObject({
      status: 'completed',
      stopReason: 'complete',
      totalIterations: 3,
      executionIterations: 3,
      setupIterations: 0,
    });
  });

  it('asks for one item, with verbatim instructions and absolute paths, in the project', async () => {
    const project = new Project();
    await project.task([], 'Use ${HOME} and {{projectRoot}} and $(id).\n');
    project.write({ [`${TASK}/.status-instructions.md`]: 'Also tell {{workspacePath}}.\n' });
    project.agent({ calls: [status({ complete: true })] });
    await project.iterate(['run', 'task', ...NO_VERIFY]);
    const [call] = project.calls();
    const workspace = path.join(project.folder, TASK);
    expect(call?.cwd).toBe(project.folder);
    expect(call?.prompt.startsWith('Use ${HOME} and {{projectRoot}} and $(id).\n\n\n---\n\n')).toBe(true);
    expect(call?.prompt).toContain(`${workspace}/.status.json`);
    expect(call?.prompt).toContain(`Also tell ${workspace}.`);
    const system = call?.argv[call.argv.indexOf('--append-system-prompt') + 1];
    expect(system).toContain('Complete ONE item this iteration');
    expect(call?.argv).toEqual(expect.arrayContaining(['-p', '--output-format', 'stream-json', '--verbose']));
    expect(call?.argv).not.toContain('--dangerously-skip-permissions');
  });

  it('passes on the permission flag, warns, and does not save it', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--dangerously-skip-permissions']);
    expect(ended.stderr).toContain('⚠️ Permission prompts are skipped');
    expect(project.calls()[0]?.argv).toContain('--dangerously-skip-permissions');
    expect(JSON.stringify(project.metadata())).not.toContain('dangerously');
  });

  it('stops at the maximum with exit code 0 and shows the options', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false })] });
    const ended = await project.iterate(['run', 'task', '--no-delay', '-m', '2']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain(
      [
        '⚠️ Reached maximum iterations (2)',
        '',
        'Options:',
        '  - Continue: claude-iterate run task --max-iterations 2 --no-delay',
        '  - Increase the limit: claude-iterate run task --max-iterations 4 --no-delay',
        '  - Check progress: claude-iterate show task',
      ].join('\n'),
    );
    expect(project.metadata()).toMatchObject({
      status: 'in_progress',
      stopReason: 'max-iterations',
      executionIterations: 2,
    });
  });

  it('starts a new run at 1, keeps the totals, and ignores an old claim', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true }), {}, status({ complete: true })] });
    await project.iterate(['run', 'task', ...NO_VERIFY]);
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stdout).toContain('Running iteration 1...');
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(project.metadata()).toMatchObject({ executionIterations: 3, totalIterations: 3 });
    expect(project.runs()).toHaveLength(2);
  });

  it('reads TODO.md if there is no status, and treats a list without boxes as unknown', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        { files: { [`${TASK}/TODO.md`]: '# TODO\nAll COMPLETE.\n' } },
        { files: { [`${TASK}/TODO.md`]: '- [x] one\n- [ ] two\n```\n- [ ] example\n```\n' } },
        { files: { [`${TASK}/TODO.md`]: '- [x] one\n- [x] two\n```\n- [ ] example\n```\n' } },
      ],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stdout).toContain('✓ Iteration 1 complete\n');
    expect(ended.stdout).toContain('✓ Iteration 2 complete (1 item remaining)\n');
    expect(ended.stdout).toContain('✓ Task completed successfully after 3 iterations');
  });

  it('reads TODO.md if the status is invalid', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        { files: { [`${TASK}/.status.json`]: '{"complete": tru', [`${TASK}/TODO.md`]: '- [ ] one\n' } },
        { files: { [`${TASK}/.status.json`]: '{"complete": "yes"}', [`${TASK}/TODO.md`]: '- [x] one\n' } },
      ],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stdout).toContain('✓ Iteration 1 complete (1 item remaining)\n');
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations\n');
  });

  it('exits with 1 when the agent aborts the task', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false, abort: { reason: 'no database' } })] });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('❌ Stopped after 1 iteration: the agent gave up: no database');
    expect(project.metadata()).toMatchObject({ status: 'error', stopReason: 'abort' });
  });

  it('prints nothing at the quiet level except the reason of a failure', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const good = await project.iterate(['run', 'task', ...NO_VERIFY, '--quiet']);
    expect(good).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    project.agent({ calls: [{ error: { api_error_status: 401 }, text: 'invalid key' }] });
    const bad = await project.iterate(['run', 'task', ...NO_VERIFY, '--output', 'quiet']);
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toBe(
      '❌ Iteration 1 failed: the agent is not signed in or its key was rejected: invalid key\n',
    );
  });

  it("shows the agent's output and tools at the verbose level", async () => {
    const project = new Project();
    await project.task();
    const use = { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/a/TODO.md' } };
    project.agent({
      calls: [
        status(
          { complete: true },
          {
            events: [
              { type: 'assistant', message: { id: 'a', content: [use] } },
              {
                type: 'user',
                message: {
                  content: [{ type: 'tool_result', tool_use_id: 't1', content: '# TODO\n- [x] Task 1' }],
                },
              },
            ],
            text: 'All is done.',
          },
        ),
      ],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--verbose']);
    expect(ended.stdout).toContain('🔧 Read tool\n   File: /a/TODO.md\n');
    expect(ended.stdout).toContain(
      '✓ File read successfully (2 lines)\n     1 | # TODO\n     2 | - [x] Task 1\n',
    );
    expect(ended.stdout).toContain('All is done.\n');
  });
});

describe('claude-iterate run: iterative mode', () => {
  it('asks for as much as possible, and stops on stagnation', async () => {
    const project = new Project();
    await project.task(['--mode', 'iterative']);
    project.agent({
      calls: [
        status({ complete: false, worked: false }),
        status({ complete: false, worked: true }),
        status({ complete: false, worked: false }),
        status({ complete: false, worked: false }),
      ],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('⚠️ Stagnation detected: 2 consecutive iterations with no work\n');
    expect(project.metadata()).toMatchObject({
      status: 'completed',
      stopReason: 'stagnation',
      executionIterations: 4,
      maxIterations: 20,
    });
    const [call] = project.calls();
    const system = call?.argv[call.argv.indexOf('--append-system-prompt') + 1];
    expect(system).toContain('Work autonomously, complete as much as possible');
    expect(call?.prompt).toContain('"worked": true');
  });

  it('counts an iteration that changed project files as work, whatever it reports', async () => {
    const project = new Project();
    await project.task(['--mode', 'iterative']);
    const idle = { complete: false, worked: false };
    project.agent({
      calls: [
        status(idle, { files: { 'src/a.txt': '1' } }),
        status(idle, { files: { 'src/a.txt': '2' } }),
        status(idle, { files: { [`${TASK}/working/notes.md`]: 'only notes' } }),
        status(idle),
      ],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.stdout).toContain('Stagnation detected: 2 consecutive');
    expect(project.metadata().executionIterations).toBe(4);
  });

  it('is not kept from stopping by the work of another loop in the same project', async () => {
    const project = new Project();
    await project.task(['--mode', 'iterative']);
    project.agent({
      calls: [
        { waitFor: 'go', files: { 'claude-iterate/workspaces/other/.status.json': { complete: false } } },
        { files: { 'src/theirs.ts': '1', ...status({ complete: false, worked: false }).files } },
        { files: { 'src/theirs.ts': '2', ...status({ complete: false, worked: false }).files } },
      ],
    });
    await project.iterate(['init', 'other', '--mode', 'iterative']);
    project.write({ 'claude-iterate/workspaces/other/INSTRUCTIONS.md': 'Other.\n' });
    const other = project.begin(['run', 'other', ...NO_VERIFY]);
    await until(() => project.calls().length === 1);
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stdout).toContain('Stagnation detected: 2 consecutive');
    process.kill(other.pid, 'SIGKILL');
    await other.ended;
  });

  it('never stops for stagnation with a threshold of 0', async () => {
    const project = new Project();
    await project.task(['--mode', 'iterative']);
    project.agent({ calls: [status({ complete: false, worked: false })] });
    const flags = ['--no-delay', '-m', '4', '--stagnation-threshold', '0'];
    const ended = await project.iterate(['run', 'task', ...flags]);
    expect(ended.stdout).toContain('⚠️ Reached maximum iterations (4)');
  });
});

describe('claude-iterate run: other agents and none', () => {
  it('simulates a task in a dry run, with its own log', async () => {
    const project = new Project();
    await project.task(['--mode', 'iterative']);
    const ended = await project.iterate(['run', 'task', '--dry-run', '--no-delay']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('✓ Task completed successfully after 3 iterations');
    expect(fs.readFileSync(path.join(project.elsewhere, 'tmp', 'mock-claude.log'), 'utf8')).toContain(
      'Complete the task.',
    );
    expect(JSON.parse(project.read(`${TASK}/.status.json`))).toMatchObject({ complete: true });
  });

  it('runs any command that reads its prompt from stdin', async () => {
    const project = new Project();
    await project.task([
      '--agent',
      `sh -c 'cat > got.txt; echo "{\\"complete\\": true}" > ${TASK}/.status.json; echo done'`,
    ]);
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--verbose']);
    expect(ended.stdout).toContain('✓ Task completed successfully after 1 iteration\n');
    expect(ended.stdout).toContain('done\n');
    expect(project.read('got.txt')).toContain('Complete the task.');
  });

  it('gives agents, checks and prompts to no shell', async () => {
    const project = new Project();
    await project.task([], 'Do $(touch prompt) `touch prompt`; touch prompt\n');
    const script = path.join(project.elsewhere, 'agent.sh');
    fs.writeFileSync(
      script,
      `cat > got.txt; printf '%s\\n' "$@" > argv.txt; echo '{"complete": true}' > ${TASK}/.status.json\n`,
    );
    const unquoted = await project.iterate(['run', 'task', '--agent', `sh ${script} $(touch agent)`]);
    expect(unquoted.stderr).toContain('needs a shell, but none is used');
    expect(unquoted.exitCode).toBe(1);
    const ended = await project.iterate([
      ...['run', 'task', ...NO_VERIFY, '--agent', `sh ${script} '$(touch agent)' '; touch agent'`],
      ...['--check', `test '$(touch check)' = '$(touch check)'`],
    ]);
    expect(ended.stdout).toContain('✓ Task completed successfully after 1 iteration\n');
    expect(project.read('argv.txt')).toBe('$(touch agent)\n; touch agent\n');
    expect(project.read('got.txt')).toContain('Do $(touch prompt) `touch prompt`; touch prompt\n');
    for (const name of ['agent', 'check', 'prompt']) expect(project.has(name)).toBe(false);
  });

  it('reports that another agent is missing', async () => {
    const project = new Project();
    await project.task();
    const ended = await project.iterate(['run', 'task', '--agent', 'no-such-agent --fast']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(
      "error: Agent not found. Make sure 'no-such-agent' is installed and in PATH.\n",
    );
  });

  it('is a run like any other', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.run(['iterate', 'run', 'task', '--no-verify'], {
      env: { PATH: project.path },
    });
    expect(ended.exitCode).toBe(0);
    const runs = await project.run(['runs', '--json']);
    expect(JSON.parse(runs.stdout)).toMatchObject([{ kind: 'iterate', title: 'task', status: 'completed' }]);
  });

  it('works with workspaces outside the project', async () => {
    const project = new Project();
    const outside = path.join(project.folder, '..', `${path.basename(project.folder)}-ws`);
    try {
      await project.iterate(['init', 'task', '--workspaces-dir', outside]);
      fs.writeFileSync(path.join(outside, 'task', 'INSTRUCTIONS.md'), 'Do it.\n');
      const ended = await project.iterate([
        'run',
        'task',
        '--dry-run',
        '--no-delay',
        '--workspaces-dir',
        outside,
      ]);
      expect(ended.exitCode).toBe(0);
      expect(ended.stdout).toContain('✓ Task completed successfully after 3 iterations');
    } finally {
      fs.rmSync(outside, { recursive: true, force: true });
    }
  });
});
