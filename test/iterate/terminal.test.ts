/** The panel, the stop key, and Ctrl+C in raw mode. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHttpTarget } from '../notify/http-target.ts';
import { until } from '../rig/orchestrate.ts';
import { onTerminal } from './on-terminal.ts';
import { PASS, Project, status, TASK } from './rig.ts';

describe('claude-iterate run on a terminal', () => {
  it('shows its panel, stops after the current iteration when `s` is pressed, and leaves the screen clean', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [{ waitFor: 'go', ...status({ complete: false, progress: { completed: 1, total: 4 } }) }],
    });
    const terminal = onTerminal(project, ['run', 'task', '--no-delay', '--dangerously-skip-permissions']);
    await until(() => terminal.screen().includes('task  loop mode  iteration 1/50\n'));
    expect(terminal.screen()).toContain('s: stop after this iteration   Ctrl+C: interrupt');
    await until(() => project.calls().length === 1);
    terminal.press('s');
    await until(() => terminal.text().includes('Stopping after this iteration.'));
    expect(fs.existsSync(path.join(project.folder, TASK, '.stop'))).toBe(true);
    project.allow('go');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toBe(
      [
        '⚠ Permission prompts are skipped: the agent may change files and run commands wi',
        'thout asking.',
        'Agent: claude 9.9.9 (Stand-in)',
        '✓ Iteration 1 complete (3 items remaining)',
        '■ Stopped after 1 iteration',
        '  Cost: $0.0100',
      ].join('\n'),
    );
    expect(terminal.text().trimEnd().endsWith('\u001b[?25h')).toBe(true);
  });

  it('is interrupted by Ctrl+C', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ hang: true }] });
    const terminal = onTerminal(project, ['run', 'task']);
    await until(() => project.calls().length === 1);
    await until(() => terminal.text().includes('s: stop after this iteration'));
    terminal.press('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(terminal.text()).toContain('■ Interrupted by SIGINT after 0 iterations');
    expect(terminal.text()).toContain('\u001b[?25h');
    expect(project.metadata()).toMatchObject({ status: 'in_progress', executionIterations: 0 });
  });

  it('says that it pauses, and how a second Ctrl+C ends it', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ stubborn: true, hang: true }] });
    const terminal = onTerminal(project, ['run', 'task']);
    await until(() => project.calls().length === 1);
    await project.iterate(['pause', 'task']);
    await until(() => terminal.screen().includes('Pausing after this iteration.'));
    terminal.press('\u0003');
    await until(() => terminal.screen().includes('Stopping now.   Ctrl+C: force quit'));
    terminal.press('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(terminal.text()).toContain('Resume with: claude-iterate run task\r\n');
  });

  it('releases the terminal on Ctrl+Z and continues afterwards', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ waitFor: 'go', ...status({ complete: true }) }] });
    const shell = (command: string) =>
      `${command}; echo "[stopped]"; read -r; fg > /dev/null; echo "[exit $?]"`;
    const terminal = onTerminal(project, ['run', 'task', '--no-verify'], { shell });
    await until(() => terminal.cells().includes('s: stop after this iteration'));
    await until(() => project.calls().length === 1);
    terminal.press('\u001a');
    await until(() => terminal.cells().includes('[stopped]'));
    expect(terminal.cells()).not.toContain('iteration 1/50');
    expect(terminal.text().lastIndexOf('\u001b[?25h')).toBeGreaterThan(
      terminal.text().lastIndexOf('\u001b[?25l'),
    );
    terminal.press('\n');
    await until(() => terminal.cells().includes('task  loop mode  iteration 1/50'));
    project.allow('go');
    await terminal.ended;
    const lines = terminal.cells().trimEnd().split('\n');
    expect(lines.slice(lines.indexOf('✓ Iteration 1 complete'))).toEqual([
      '✓ Iteration 1 complete',
      '✓ Task completed successfully after 1 iteration',
      '  Cost: $0.0100',
      '[exit 0]',
    ]);
  });

  it('shows the progress of a verification', async () => {
    const project = new Project();
    await project.task();
    const report = { [`${TASK}/verification-report.md`]: PASS };
    project.agent({ verifications: [{ text: 'I look at the files.', waitFor: 'go', files: report }] });
    const terminal = onTerminal(project, ['verify', 'task']);
    await until(() => /^Verifying task {3}elapsed \d/.test(terminal.screen()));
    await until(() => project.calls('verifications').length === 1);
    project.allow('go');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toBe(
      ['✅ Verified', 'All there.', `Report: ${TASK}/verification-report.md`].join('\n'),
    );
  });
});

describe('a question on a terminal', () => {
  it.each([
    ['y\r', 0, false],
    ['no\r', 0, true],
    ['\r', 0, true],
    ['\u0004', 0, true],
    ['\u0003', 130, true],
  ])(
    'answered with %j exits with %i, and the workspace still exists: %s',
    async (keys, exitCode, isThere) => {
      const project = new Project();
      await project.task();
      const terminal = onTerminal(project, ['clean', 'task']);
      await until(() => terminal.cells().includes('Remove workspace task? [y/N]'));
      terminal.press(keys);
      expect(await terminal.ended).toBe(exitCode);
      expect(project.has(TASK)).toBe(isThere);
      expect(project.archives()).toHaveLength(isThere ? 0 : 1);
      expect(terminal.text()).not.toContain('internal error');
    },
  );
});

describe('edit', () => {
  it('reports that nothing changed, and neither counts nor notifies', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url]);
    fs.writeFileSync(path.join(project.elsewhere, 'bin', 'claude'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const terminal = onTerminal(project, ['edit', 'task']);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toBe(`Instructions unchanged: ${TASK}/INSTRUCTIONS.md`);
    expect(project.metadata()).toMatchObject({ setupIterations: 0, totalIterations: 0 });
    expect(target.received).toEqual([]);
  });
});
