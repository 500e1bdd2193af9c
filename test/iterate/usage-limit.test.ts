/** A wait for a usage limit is shown everywhere: on the terminal, in lists, and in notifications. */
import { describe, expect, it } from 'vitest';
import { startHttpTarget } from '../notify/http-target.ts';
import { until } from '../rig/orchestrate.ts';
import { onTerminal } from './on-terminal.ts';
import { Project } from './rig.ts';

const resetsAt = Math.ceil(Date.now() / 1000) + 7200;
const told = {
  events: [{ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } }],
  error: { api_error_status: 429 },
  text: "You've hit your limit",
};
const untold = { error: { api_error_status: 429 }, text: "You've hit your limit" };

describe.each([
  ['with its end told', told, /usage limit: waiting until \S+(?: \S+)? UTC \(in [^)]+\)/],
  [
    'without its end',
    untold,
    /usage limit, reset time unknown: next attempt at \S+(?: \S+)? UTC \(in [^)]+\)/,
  ],
])('a usage limit %s', (_how, limit, words) => {
  it('is shown by `list`, `show`, `runs` and a notification', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url, '--notify-events', 'error']);
    project.agent({ calls: [limit] });
    const started = project.begin(['run', 'task']);
    await until(() => target.received.length > 0);
    const [{ headers, body } = { headers: {}, body: '' }] = target.received;
    expect(headers).toMatchObject({ title: '[task] Usage Limit', tags: 'claude-iterate,usage_limit' });
    expect(body).toMatch(new RegExp(`^USAGE LIMIT REACHED ⏳\n\nIteration: 1\n${words.source}\nCost: \\$0$`));

    // The view is written after the event is reported.
    await until(() => project.hasState() && project.state()['limits'] !== undefined);
    const listed = await project.iterate(['list']);
    expect(listed.stdout).toMatch(new RegExp(`^task +in_progress \\(${words.source}\\) +loop `, 'm'));
    const shown = await project.iterate(['show', 'task']);
    expect(shown.stdout).toMatch(new RegExp(`^Waiting: +${words.source}$`, 'm'));
    const [run = ''] = project.runs();
    const runs = await project.run(['runs']);
    expect(runs.stdout).toMatch(new RegExp(`^${run} +running \\(${words.source}\\) +iterate `, 'm'));
    const whole = await project.run(['show', run]);
    expect(whole.stdout).toMatch(new RegExp(`^▶ iteration/1 +.* ${words.source}`, 'm'));

    const paused = await project.iterate(['pause', 'task']);
    expect(paused.stdout).toMatch(
      new RegExp(
        `^✓ task pauses when its current iteration ends \\(process ${started.pid}\\)\n` +
          `  Now it has a ${words.source}. To end the process at once and keep the run: kill -INT ${started.pid}\n$`,
      ),
    );
    process.kill(started.pid, 'SIGINT');
    await started.ended;
    expect((await project.iterate(['list'])).stdout).toMatch(/^task +in_progress \(interrupted\) +loop /m);
    expect((await project.run(['runs'])).stdout).toMatch(new RegExp(`^${run} +interrupted +iterate `, 'm'));
  });

  it('is shown in the panel', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [limit] });
    const terminal = onTerminal(project, ['run', 'task']);
    // Before midnight the time has a date, and the row is too narrow for what follows it.
    const start = new RegExp(words.source.replace(/ \\\(in .*$/, ''));
    await until(() => start.test(terminal.screen()));
    terminal.press('\u0003');
    expect(await terminal.ended).toBe(130);
  });

  it('is waited for until the loop is asked to stop', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [limit] });
    const started = project.begin(['run', 'task']);
    await until(
      () => project.runs().length > 0 && project.hasState() && project.state()['limits'] !== undefined,
    );
    const stopped = await project.iterate(['stop', 'task']);
    expect(stopped.stdout).toBe(`✓ task is stopping now (process ${started.pid})\n`);
    const ended = await started.ended;
    expect(ended.stdout).toContain('■ Stopped after 0 iterations\n');
    expect(ended.exitCode).toBe(0);
  });
});
