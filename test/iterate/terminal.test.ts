/** The panel, the key that stops, and Ctrl+C while keys are read one by one. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { onTerminal } from './on-terminal.ts';
import { Project, status, TASK } from './rig.ts';

describe('claude-iterate run on a terminal', () => {
  it('shows its panel, stops after the iteration when `s` is pressed, and leaves the screen clean', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [{ waitFor: 'go', ...status({ complete: false, progress: { completed: 1, total: 4 } }) }],
    });
    const terminal = onTerminal(project, ['run', 'task', '--no-delay']);
    await until(() => terminal.screen().includes('task  loop mode  iteration 1/50\n'));
    expect(terminal.screen()).toContain('s: stop after this iteration   Ctrl+C: interrupt');
    await until(() => project.calls().length === 1);
    terminal.press('s');
    await until(() => terminal.text().includes('Ends after this iteration.'));
    expect(fs.existsSync(path.join(project.folder, TASK, '.stop'))).toBe(true);
    project.allow('go');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toBe(
      [
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
});
