/** On a real terminal, made by `script`: the panel, the key that stops, and Ctrl+C while keys are read one by one. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { Screen } from '../rig/screen.ts';
import { CLAUDE_ITERATE, Project, status, TASK } from './rig.ts';

function onTerminal(project: Project, argv: readonly string[]) {
  const words = [process.execPath, CLAUDE_ITERATE, ...argv];
  const child = spawn('script', ['-qec', `stty cols 80 rows 24; exec ${words.join(' ')}`, '/dev/null'], {
    cwd: project.folder,
    env: {
      PATH: project.path,
      HOME: project.folder,
      TERM: 'xterm',
      TMPDIR: path.join(project.elsewhere, 'tmp'),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    ended,
    press: (key: string) => child.stdin.write(key),
    text: () => written,
    screen(): string {
      const screen = new Screen(80);
      // The last piece may end in the middle of a sequence.
      screen.write(written.replaceAll('\r\n', '\n').replace(/\u001b(?:\[[?\d]*)?$/, ''));
      return screen.text;
    },
  };
}

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
