import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';

describe('orchestrate serve', () => {
  it('prints one line when it listens, and ends within a second on SIGTERM', async () => {
    const workspace = new Workspace();
    const page = await servePage(workspace);
    const stopped = Date.now();
    page.started.child.kill('SIGTERM');
    const { exitCode, stdout, stderr } = await page.started.ended;
    expect(Date.now() - stopped).toBeLessThan(1000);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(stdout)).toEqual({ url: page.url, port: page.port, token: page.token });
  });

  it('prints the address with the token', async () => {
    const workspace = new Workspace();
    const started = workspace.start(['serve', '--port', '0']);
    const line = await new Promise<string>((resolve) => {
      started.child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8')));
    });
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[A-Za-z0-9_-]{43}\n$/);
  });

  it('refuses a second server for the same workspace, and says where the first one is', async () => {
    const workspace = new Workspace();
    const page = await servePage(workspace);
    const second = await workspace.run(['serve', '--port', '0']);
    expect(second.exitCode).toBe(4);
    expect(second.stderr).toContain(
      `${workspace.folder} is already served at http://127.0.0.1:${page.port} by process ${page.started.pid}`,
    );
    expect(second.stderr).not.toContain(page.token);
    page.started.child.kill('SIGKILL');
    await page.started.ended;
    await servePage(workspace);
  });

  it('serves several workspaces', async () => {
    const one = new Workspace();
    const other = new Workspace();
    const page = await servePage(one, [one.folder, other.folder]);
    const { workspaces } = (await page.ask('/api/v1/workspaces')).body;
    expect(workspaces.map(({ path: folder }: { path: string }) => folder)).toEqual([
      one.folder,
      other.folder,
    ]);
    expect(workspaces[0].id).toMatch(new RegExp(`^${path.basename(one.folder)}-[0-9a-f]{6}$`));
  });

  it('refuses what it cannot do', async () => {
    const workspace = new Workspace({ file: '' });
    const page = await servePage(workspace);
    const other = new Workspace();
    const cases: readonly (readonly [string[], number, string])[] = [
      [['serve', '--port', 'x'], 2, 'must be a number from 0 to 65535\n'],
      [['serve', '--public-url', 'nonsense'], 2, 'must be an address such as https://runs.example.com\n'],
      [['serve', 'nowhere'], 2, 'cannot serve `nowhere`'],
      [['serve', '--port', String(page.port)], 4, `port ${page.port} is in use`],
    ];
    for (const [argv, exitCode, said] of cases) {
      const ended = await other.run(argv);
      expect(ended.exitCode, argv.join(' ')).toBe(exitCode);
      expect(ended.stderr).toContain(said);
    }
  });

  it('writes nothing to the workspace while it is read', async () => {
    const workspace = new Workspace({
      'hello.yaml': 'name: hello\nsteps:\n  - name: Say\n    command: [echo, hello]\n',
    });
    await workspace.run(['run', 'hello.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const state = path.join(workspace.folder, '.orchestrate');
    const before = snapshot(state);
    const page = await servePage(workspace);
    for (const each of [
      'runs',
      'inbox',
      'workflows',
      'costs',
      'loops',
      'sessions',
      'phases',
      'conversations',
      'queues',
    ])
      await page.get(each);
    for (const each of [
      '',
      '/steps',
      '/steps/Say',
      '/steps/Say/log',
      '/steps/Say/why',
      '/flow',
      '/timeline',
      '/why',
      '/report.html',
    ])
      expect((await page.get(`runs/${runId}${each}`)).status, each).toBe(200);
    expect(snapshot(state)).toBe(before);
  });
});

/** Every name, size and time of change. */
function snapshot(folder: string): string {
  expect(fs.existsSync(folder)).toBe(true);
  return execFileSync('find', [folder, '-printf', '%p %s %T@ %i\n'], { encoding: 'utf8' });
}
