import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { processStartTime } from '../../src/store/lock.ts';
import { until } from '../rig/orchestrate.ts';
import { FAIL, PASS, Project, status, TASK } from './rig.ts';

const NO_VERIFY = ['--no-verify', '--no-delay'];

describe('claude-iterate run: before the first iteration', () => {
  it('says that the Claude CLI is not there', async () => {
    const project = new Project();
    await project.task();
    const ended = await project.iterate(['run', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe("error: Claude CLI not found. Make sure 'claude' is installed and in PATH.\n");
    expect(project.runs()).toEqual([]);
  });

  it('says that instructions are missing, and runs nothing', async () => {
    const project = new Project();
    project.agent({});
    await project.iterate(['init', 'task']);
    const ended = await project.iterate(['run', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe('error: Instructions not found. Run setup first: claude-iterate setup task\n');
    expect(project.calls()).toEqual([]);
  });

  it('says that there is no such workspace', async () => {
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
      "error: the check cannot be run: `&&` in `npm test && true` needs a shell, and none is used; write `sh -c '…'` if that is meant\n",
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

  it('ends with 1 on wrong usage', async () => {
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
  it('goes on until the status says that the task is complete', async () => {
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
    expect(ended.stderr).toBe(
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

  it('asks for one item, with the instructions as they are and absolute paths, in the project', async () => {
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

  it('hands the permission switch on, warns, and saves it nowhere', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--dangerously-skip-permissions']);
    expect(ended.stderr).toContain('⚠️ Permission prompts are skipped');
    expect(project.calls()[0]?.argv).toContain('--dangerously-skip-permissions');
    expect(JSON.stringify(project.metadata())).not.toContain('dangerously');
  });

  it('stops at the maximum with 0 and says what can be done', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false })] });
    const ended = await project.iterate(['run', 'task', '--no-delay', '-m', '2']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain(
      [
        '⚠️ Reached maximum iterations (2)',
        '',
        'Options:',
        '  - Continue: claude-iterate run task',
        '  - Increase the limit: claude-iterate run task --max-iterations 4',
        '  - Check progress: claude-iterate show task',
      ].join('\n'),
    );
    expect(project.metadata()).toMatchObject({
      status: 'in_progress',
      stopReason: 'max-iterations',
      executionIterations: 2,
    });
  });

  it('begins a new run at 1, counts on, and does not believe an old claim', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true }), {}, status({ complete: true })] });
    await project.iterate(['run', 'task', ...NO_VERIFY]);
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stderr).toContain('Running iteration 1...');
    expect(ended.stderr).toContain('✓ Task completed successfully after 2 iterations');
    expect(project.metadata()).toMatchObject({ executionIterations: 3, totalIterations: 3 });
    expect(project.runs()).toHaveLength(2);
  });

  it('reads TODO.md where there is no status, and takes no boxes for no answer', async () => {
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
    expect(ended.stderr).toContain('✓ Iteration 1 complete\n');
    expect(ended.stderr).toContain('✓ Iteration 2 complete (1 item remaining)\n');
    expect(ended.stderr).toContain('✓ Task completed successfully after 3 iterations');
  });

  it('reads TODO.md where the status cannot be used', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        { files: { [`${TASK}/.status.json`]: '{"complete": tru', [`${TASK}/TODO.md`]: '- [ ] one\n' } },
        { files: { [`${TASK}/.status.json`]: '{"complete": "yes"}', [`${TASK}/TODO.md`]: '- [x] one\n' } },
      ],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stderr).toContain('✓ Iteration 1 complete (1 item remaining)\n');
    expect(ended.stderr).toContain('✓ Task completed successfully after 2 iterations\n');
  });

  it('ends with 1 when the agent gives the task up', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false, abort: { reason: 'no database' } })] });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('❌ Stopped after 1 iteration: the agent gave up: no database');
    expect(project.metadata()).toMatchObject({ status: 'error', stopReason: 'abort' });
  });

  it('says nothing at the quiet level, and the reason when it fails', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const good = await project.iterate(['run', 'task', ...NO_VERIFY, '--quiet']);
    expect(good).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    project.agent({ calls: [{ error: { api_error_status: 401 }, text: 'invalid key' }] });
    const bad = await project.iterate(['run', 'task', ...NO_VERIFY, '--output', 'quiet']);
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toBe(
      '❌ Iteration 1 failed: the agent is not signed in or its key is refused: invalid key\n',
    );
  });

  it('shows what the agent says and does at the verbose level', async () => {
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
    expect(ended.stderr).toContain('🔧 Read tool\n   File: /a/TODO.md\n');
    expect(ended.stderr).toContain(
      '✓ File read successfully (2 lines)\n     1 | # TODO\n     2 | - [x] Task 1\n',
    );
    expect(ended.stderr).toContain('All is done.\n');
  });
});

describe('claude-iterate run: failures', () => {
  it('marks the workspace and ends with 1 when the agent fails', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [status({ complete: false }), { error: { api_error_status: 400 }, text: 'too long' }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('❌ Iteration 2 failed: the agent did not accept the call: too long');
    expect(project.metadata()).toMatchObject({
      status: 'error',
      stopReason: 'failed',
      executionIterations: 1,
    });
    expect(project.log()).toContain('STATUS: error\n');
    expect(project.log()).toContain('ERROR: the agent did not accept the call: too long\n');
  });

  it('tries a crashed iteration again and counts it once', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ retry: { maxAttempts: 3, delaysSec: [0, 0] } }),
    });
    await project.task();
    project.agent({ calls: [{ crash: 'out of memory' }, { crash: 'again' }, status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.exitCode).toBe(0);
    expect(project.calls()).toHaveLength(3);
    expect(project.metadata().executionIterations).toBe(1);
    project.agent({ calls: [{ crash: 'gone' }] });
    const failed = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(
      '❌ Iteration 1 failed: the agent ended without a result: exit code 3: gone',
    );
    expect(project.calls()).toHaveLength(3);
  });

  it.each([
    ['an overload', 529, 'the model is overloaded'],
    ['an error of the model', 500, "the model's API answered with an error (HTTP 500): not now"],
  ])('tries again after %s', async (_what, code, words) => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ retry: { maxAttempts: 2, delaysSec: [0] } }),
    });
    await project.task();
    const failing = { error: { api_error_status: code }, text: 'not now' };
    project.agent({ calls: [failing, status({ complete: true }), failing] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stderr).toContain(`⚠️ iteration 1: ${words}`);
    expect(ended.stderr).toContain('✓ Task completed successfully after 1 iteration\n');
    const failed = await project.iterate(['run', 'task', ...NO_VERIFY, '--quiet']);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/^❌ Iteration 1 failed: .*not now\n$/);
    expect(project.calls()).toHaveLength(4);
  });

  it('does not try an iteration again that took too long', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ hang: true }] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--iteration-timeout', '0.4']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      '❌ Iteration 1 failed: the agent did not finish within 0.4 s and was ended',
    );
    expect(agentsStarted(project)).toBe(1);
  });

  it('ends an agent that gives no sign of life, and tries again', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({
        idleTimeoutMin: 0.01,
        retry: { maxAttempts: 2, delaysSec: [0] },
      }),
    });
    await project.task();
    project.agent({ calls: [{ hang: true }] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      '❌ Iteration 1 failed: the agent gave no sign of life for 0.6 s and was ended',
    );
    expect(agentsStarted(project)).toBe(2);
  });

  it('keeps the result of an agent that hangs after it, ends the agent, and goes on', async () => {
    const project = new Project({
      // The 60 seconds that an agent has to end are over at once.
      'no-patience.cjs': `const { setTimeout: later } = globalThis;
globalThis.setTimeout = (call, ms, ...rest) => later(call, ms === 60_000 ? 1 : ms, ...rest);`,
    });
    await project.task();
    project.agent({ calls: [status({ complete: true }, { text: 'All is done.', lingers: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--verbose'], {
      env: { NODE_OPTIONS: `--require=${path.join(project.folder, 'no-patience.cjs')}` },
    });
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('All is done.\n');
    expect(ended.stderr).toContain('✓ Task completed successfully after 1 iteration\n');
    expect(project.calls()).toHaveLength(1);
    expect(processStartTime(project.calls()[0]?.pid ?? 0)).toBeUndefined();
    expect(project.metadata()).toMatchObject({ status: 'completed', executionIterations: 1 });
  });

  it('stops at the boundary when the budget is used up', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }, { cost: 0.3 })] });
    const ended = await project.iterate(['run', 'task', '--no-delay', '--budget-usd', '0.5']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('❌ Stopped after 2 iterations: the budget of $0.5 is used up ($0.6000)');
    expect(project.metadata()).toMatchObject({
      status: 'in_progress',
      stopReason: 'budget',
      executionIterations: 2,
    });
  });

  it('goes on without a log that cannot be written, and says so once', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }), status({ complete: true })] });
    project.write({
      'full-disk.cjs': `const fs = require('node:fs'); const { openSync } = fs;
fs.openSync = (file, ...rest) => { if (String(file).endsWith('.log') && String(file).includes('iterate-')) { const e = new Error('full'); e.code = 'ENOSPC'; throw e; } return openSync(file, ...rest); };`,
    });
    const ended = await project.iterate(['run', 'task', '--no-verify', '--delay', '0'], {
      env: { NODE_OPTIONS: `--require=${path.join(project.folder, 'full-disk.cjs')}` },
    });
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr.match(/cannot write the log/g)).toHaveLength(1);
    expect(ended.stderr).toContain('the disk is full (ENOSPC); the run goes on without it');
  });
});

describe('claude-iterate run: is it really complete?', () => {
  it('does not complete while a check fails, and tells the agent what it said', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [status({ complete: true }), status({ complete: true }, { files: { 'green.txt': 'yes' } })],
    });
    const check = `sh -c 'echo looked; test -f green.txt || { echo "no green" >&2; exit 4; }'`;
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--check', check, '--check', 'true']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('❌ Check failed: sh -c ');
    expect(ended.stderr).toContain('the command ended with exit code 4');
    expect(ended.stderr).toContain('✓ Task completed successfully after 2 iterations');
    const second = project.calls()[1]?.prompt ?? '';
    expect(second.startsWith('# The task is not complete yet\n')).toBe(true);
    expect(second).toContain('looked\n');
    expect(second).toContain('no green');
    expect(second).toContain('Do what is to be done.\n');
  });

  it('never completes by a claim alone: a failing check holds it up to the last iteration', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '2', '--check', 'false']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('⚠️ Reached maximum iterations (2)');
    expect(project.metadata().status).toBe('in_progress');
    expect(JSON.parse(project.read(`${TASK}/.status.json`))).toMatchObject({ complete: false });
  });

  it('verifies, goes on with the findings, and completes when they are put right', async () => {
    const project = new Project();
    await project.task();
    const report = `${TASK}/verification-report.md`;
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ files: { [report]: FAIL } }, { files: { [report]: PASS } }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('❌ Verification failed\nRunning iteration 2...\n');
    expect(ended.stderr).toContain('✓ Verification passed\n✓ Task completed successfully after 2 iterations');
    const second = project.calls()[1]?.prompt ?? '';
    expect(second).toContain('1. There is no test of `add`.\n2. The docs are old.');
    expect(second).toContain('Tests are missing. Still.');
    expect(project.metadata()).toMatchObject({
      status: 'completed',
      verification: { verificationAttempts: 2, lastVerificationStatus: 'pass', verifyResumeCycles: 1 },
    });
    expect(project.calls('verifications')[0]?.prompt).toContain('Do what is to be done.');
  });

  it('ends with 1 when verification keeps failing', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ files: { [`${TASK}/verification-report.md`]: FAIL } }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      '❌ Verification failed: the task is not complete\n  - There is no test of `add`.\n',
    );
    expect(project.calls('verifications')).toHaveLength(2);
    expect(project.metadata()).toMatchObject({ status: 'in_progress', stopReason: 'verification' });
  });

  it('ends with 1 at the first failed verification where it is not to go on', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ verification: { resumeOnFail: false } }),
    });
    await project.task();
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ files: { [`${TASK}/verification-report.md`]: FAIL } }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(project.calls()).toHaveLength(1);
    expect(project.metadata()).toMatchObject({
      stopReason: 'verification',
      verification: { verificationAttempts: 1, verifyResumeCycles: 0 },
    });
  });

  it('does not take an old report for a new one', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ verification: { maxAttempts: 1 } }),
    });
    await project.task();
    project.write({ [`${TASK}/verification-report.md`]: PASS });
    project.agent({ calls: [status({ complete: true })], verifications: [{ text: 'I looked.' }] });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(project.metadata().verification).toMatchObject({ lastVerificationStatus: 'needs_review' });
  });
});

describe('claude-iterate run: iterative mode', () => {
  it('asks for as much as possible, and ends when nothing is done any more', async () => {
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
    expect(ended.stderr).toContain('⚠️ Stagnation detected: 2 consecutive iterations with no work\n');
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

  it('calls an iteration that changed files of the project work, whatever it says', async () => {
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
    expect(ended.stderr).toContain('Stagnation detected: 2 consecutive');
    expect(project.metadata().executionIterations).toBe(4);
  });

  it('never ends for standing still with a threshold of 0', async () => {
    const project = new Project();
    await project.task(['--mode', 'iterative']);
    project.agent({ calls: [status({ complete: false, worked: false })] });
    const flags = ['--no-delay', '-m', '4', '--stagnation-threshold', '0'];
    const ended = await project.iterate(['run', 'task', ...flags]);
    expect(ended.stderr).toContain('⚠️ Reached maximum iterations (4)');
  });
});

describe('claude-iterate run: the log', () => {
  it('holds what does not change once and a block for each iteration', async () => {
    const project = new Project();
    await project.task();
    project.write({ [`${TASK}/.status-instructions.md`]: 'Be short.\n' });
    project.agent({
      calls: [
        status({ complete: false, progress: { completed: 1, total: 2 } }, { text: 'first' }),
        status({ complete: true, progress: { completed: 2, total: 2 } }, { text: 'second' }),
      ],
    });
    await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '7']);
    const [name] = project.list(TASK).filter((each) => each.endsWith('.log'));
    expect(name).toMatch(/^iterate-\d{8}-\d{6}\.log$/);
    const rule = '='.repeat(80);
    const log = project
      .log()
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
      .replace(/(SYSTEM PROMPT\n=+\n)[\s\S]*?\n\n=/, '$1[system prompt]\n\n=');
    expect(log).toBe(`${rule}
CLAUDE ITERATE - EXECUTION LOG
Started: TIME
${rule}

${rule}
RUN METADATA
${rule}
Workspace: task
Mode: loop
Max Iterations: 7
Start Time: TIME

${rule}
INSTRUCTIONS
${rule}
Do what is to be done.

${rule}
SYSTEM PROMPT
${rule}
[system prompt]

${rule}
STATUS INSTRUCTIONS
${rule}
Be short.

${rule}
ITERATION 1
Started: TIME
${rule}

CLAUDE OUTPUT:
first

STATUS: success
Completed: TIME
Remaining: 1

${rule}
ITERATION 2
Started: TIME
${rule}

CLAUDE OUTPUT:
second

STATUS: success
Completed: TIME
Remaining: 0

${rule}
EXECUTION SUMMARY
Ended: TIME
${rule}
Status: completed
Stop Reason: complete
Iterations: 2
Total Iterations: 2
Execution Iterations: 2
`);
  });
});

describe('claude-iterate run: the log of an iteration that is not over', () => {
  it('is on the disk as soon as 10 KB have come together', async () => {
    const project = new Project();
    await project.task();
    const said = (text: string) => ({
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'text', text }] },
    });
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index} ${'x'.repeat(40)}`);
    project.agent({
      calls: [{ ...status({ complete: true }), events: [said(lines.join('\n'))], waitFor: 'go' }],
    });
    const started = project.begin(['run', 'task', ...NO_VERIFY]);
    await until(() => project.log().includes('line 299 '));
    expect(project.log()).not.toContain('STATUS:');
    project.allow('go');
    expect((await started.ended).exitCode).toBe(0);
    expect(project.log()).toContain('STATUS: success\n');
  });
});

describe('claude-iterate run: other agents and none', () => {
  it('plays a task through in a dry run, with its own log', async () => {
    const project = new Project();
    await project.task(['--mode', 'iterative']);
    const ended = await project.iterate(['run', 'task', '--dry-run', '--no-delay']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('✓ Task completed successfully after 3 iterations');
    expect(fs.readFileSync(path.join(project.elsewhere, 'tmp', 'mock-claude.log'), 'utf8')).toContain(
      'Do what is to be done.',
    );
    expect(JSON.parse(project.read(`${TASK}/.status.json`))).toMatchObject({ complete: true });
  });

  it('runs any command that reads its prompt on stdin', async () => {
    const project = new Project();
    await project.task([
      '--agent',
      `sh -c 'cat > got.txt; echo "{\\"complete\\": true}" > ${TASK}/.status.json; echo done'`,
    ]);
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--verbose']);
    expect(ended.stderr).toContain('✓ Task completed successfully after 1 iteration\n');
    expect(ended.stderr).toContain('done\n');
    expect(project.read('got.txt')).toContain('Do what is to be done.');
  });

  it('says that another agent is not there', async () => {
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
      expect(ended.stderr).toContain('✓ Task completed successfully after 3 iterations');
    } finally {
      fs.rmSync(outside, { recursive: true, force: true });
    }
  });
});

/** Also of those that were ended before they could keep their call. */
function agentsStarted(project: Project): number {
  return project.journal().filter(({ type }) => type === 'process-started').length;
}
