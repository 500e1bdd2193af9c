/** Reading never writes (J6), whatever is read. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const HAS_STRACE = spawnSync('strace', ['-V']).status === 0;
const WRITES =
  /\b(?:rename|unlink|mkdir|rmdir|link|symlink|truncate|creat|chmod|utime)\w*\(|O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/;

it.skipIf(!HAS_STRACE)(
  'a page that reads everything opens nothing in the workspace for writing',
  async () => {
    const workspace = new Workspace({
      'workflows/ship.yaml':
        'name: ship\nschedule: [{cron: "0 0 1 1 *"}]\nsteps:\n  - {name: Build, command: [echo, built]}\n  - name: Release\n    approve: {message: "Ship it?"}\n',
      'fails.yaml': 'name: fails\nsteps:\n  - {name: A, command: [bash, -c, "echo no >&2; exit 1"]}\n',
    });
    await workspace.run(['run', 'workflows/ship.yaml', '--quiet']);
    await workspace.run(['run', 'fails.yaml', '--quiet']);
    await workspace.run(['session', 'start', 'Work']);
    await workspace.run(['task', 'create', '--title', 'T']);
    await workspace.run(['iterate', 'init', 'task']);
    await workspace.run(['phases', 'create', 'A task', '--phase', 'One']);
    const elsewhere = temporaryFolder();
    const trace = path.join(elsewhere, 'trace');
    const page = await servePage(workspace, [], {
      env: { HOME: elsewhere },
      via: ['strace', '-f', '-qq', '-y', '-o', trace, '-e', 'trace=%file,ftruncate,fchmod'],
    });
    const runs = workspace.runs();
    const addresses = [
      ...[
        'runs',
        'inbox',
        'workflows',
        'workflows/fails.yaml',
        'costs',
        'loops',
        'loops/task',
        'sessions',
        'phases',
      ],
      ...['sessions/WFS-work', 'sessions/WFS-work/tasks/IMPL-1', 'conversations', 'queues', 'schedule'],
      ...runs.flatMap((run) =>
        ['', '/steps', '/flow', '/timeline', '/why', '/report.html'].map((each) => `runs/${run}${each}`),
      ),
      ...['', '/log', '/log/search?q=b', '/why', '/files'].map(
        (each) => `runs/${runs[0]}/steps/Build${each}`,
      ),
    ];
    for (const address of addresses) expect((await page.get(address)).status, address).toBe(200);
    const topics = `runs,inbox,loops,sessions,phases,queues,schedule,run:${runs[0]},log:${runs[0]}:Build:stdout:0`;
    expect((await page.ask(`/api/v1/events?wait=0&topics=${topics}`)).status).toBe(200);
    for (const argv of [
      ['show', 'last'],
      ['runs'],
      ['logs', 'last'],
      ['schedule', 'list'],
      ['explain', 'last'],
    ])
      expect((await workspace.run(argv, { env: { HOME: elsewhere } })).exitCode, argv.join(' ')).toBe(0);
    // The traced process, not strace.
    const [pid] = fs
      .readFileSync(`/proc/${page.started.pid}/task/${page.started.pid}/children`, 'utf8')
      .split(' ');
    process.kill(Number(pid), 'SIGTERM');
    await page.started.ended;
    const calls = fs.readFileSync(trace, 'utf8').split('\n');
    const inside = calls.filter((call) => call.includes(`${workspace.folder}/`));
    expect(inside.length).toBeGreaterThan(100);
    expect(inside.filter((call) => WRITES.test(call))).toEqual([]);
  },
);

it('a workspace that is removed while its page is open is a sentence, and comes back', async () => {
  const workspace = new Workspace({ 'a.yaml': 'name: a\nsteps: [{name: A, command: [echo, a]}]\n' });
  await workspace.run(['run', 'a.yaml', '--quiet']);
  const elsewhere = temporaryFolder();
  const page = await servePage(workspace, [], { env: { HOME: elsewhere } });
  const [run] = workspace.runs();
  expect((await page.get(`runs/${run}`)).status).toBe(200);
  const aside = path.join(elsewhere, 'aside');
  fs.renameSync(workspace.folder, aside);
  expect((await page.get('runs')).body).toMatchObject({ runs: [], total: 0 });
  expect(await page.get(`runs/${run}`)).toMatchObject({
    status: 404,
    body: { problem: { message: 'there is no such run' } },
  });
  for (const screen of [
    'inbox',
    'loops',
    'sessions',
    'phases',
    'conversations',
    'queues',
    'schedule',
    'costs',
  ]) {
    const { status, body } = await page.get(screen);
    expect([200, 400, 404], screen).toContain(status);
    if (status !== 200) expect(body.problem.message).toMatch(/\S/);
  }
  fs.renameSync(aside, workspace.folder);
  expect((await page.get('runs')).body.total).toBe(1);
});
