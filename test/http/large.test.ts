/** What takes a server long with a large run is done by processes of their own: others are answered meanwhile. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { type RunningPage, servePage } from '../rig/page-server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

/** Its second step needs the file `ok`. The context is part of its journal. */
async function failedRun(bytes: number): Promise<{ readonly workspace: Workspace; readonly run: string }> {
  const workspace = new Workspace({
    'needs.yaml': `name: needs\ncontext: { text: ${'x'.repeat(bytes)} }\nsteps:\n  - { name: One, command: [echo, one] }\n  - { name: Two, command: [test, -e, ok] }\n`,
  });
  expect(await workspace.run(['run', 'needs.yaml', '--quiet'])).toMatchObject({ exitCode: 1 });
  workspace.write({ ok: '' });
  return { workspace, run: workspace.runs()[0] ?? '' };
}

/** A server, and the commands of this program that it starts. */
async function watchedPage(
  workspace: Workspace,
  { isKeeping = false } = {},
): Promise<{ readonly page: RunningPage; started(): readonly string[] }> {
  const folder = temporaryFolder();
  const [log, hook] = ['log', 'hook.cjs'].map((name) => path.join(folder, name)) as [string, string];
  fs.writeFileSync(hook, `require('fs').appendFileSync(${JSON.stringify(log)}, process.argv[2] + '\\n')`);
  const page = await servePage(workspace, [], {
    isKeeping,
    env: { NODE_OPTIONS: `--require ${hook}` },
  });
  return {
    page,
    started: () =>
      fs
        .readFileSync(log, 'utf8')
        .split('\n')
        .filter((name) => /^(?:report|load-code)$/.test(name)),
  };
}

it('a run with a large journal is reported, forked and resumed elsewhere', async () => {
  const { workspace, run } = await failedRun(3_000_000);
  const { page, started } = await watchedPage(workspace);
  const report = await page.get(`runs/${run}/report.html`);
  expect([report.status, report.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(report.text).toMatch(/^<!doctype html>.*Two.*<\/html>\n?$/s);
  expect(started()).toEqual(['report']);
  const forked = await page.act({ command: 'fork', run, step: 'Two' });
  expect(forked.body).toMatchObject({ ok: true });
  expect(started()).toEqual(['report', 'load-code']);
  expect((await page.act({ command: 'resume', run })).body).toMatchObject({ ok: true });
  expect(started()).toEqual(['report', 'load-code', 'load-code']);
  for (const each of workspace.runs()) await until(() => workspace.state(each).status === 'completed');
  expect(workspace.runs()).toHaveLength(2);
});

it('a killed run with a large journal is read elsewhere before the keeper resumes it, and completed steps do not run again', async () => {
  const workspace = new Workspace({
    'held.yaml': `name: held\ncontext: { text: ${'x'.repeat(3_000_000)} }\nsteps:\n  - { name: One, command: [bash, -c, "echo one >> done"] }\n  - { name: Two, command: [bash, -c, "touch begun; until [ -e ok ]; do sleep 0.05; done"] }\n`,
  });
  const killed = workspace.start(['run', 'held.yaml', '--quiet']);
  await until(() => workspace.has('begun'));
  killed.child.kill('SIGKILL');
  await killed.ended;
  workspace.write({ ok: '' });
  const { page, started } = await watchedPage(workspace, { isKeeping: true });
  const shown = async () => (await page.get(`runs/${workspace.runs()[0]}`)).body.summary.status;
  await expect.poll(shown).toBe('completed');
  expect(workspace.read('done')).toBe('one\n');
  expect(workspace.runs()).toHaveLength(1);
  expect(started()).toEqual(['load-code']);
});

it('its problems are the same', async () => {
  const { workspace, run } = await failedRun(3_000_000);
  const { page, started } = await watchedPage(workspace);
  const { body } = await page.act({ command: 'fork', run, step: 'None' });
  const { stderr } = await workspace.run(['fork', run, '--from', 'None']);
  expect(stderr).toContain(body.problem.message);
  expect(started()).toEqual(['load-code']);
});

it('a small journal is read by the server itself, which is quicker', async () => {
  const { workspace, run } = await failedRun(3);
  const { page, started } = await watchedPage(workspace);
  expect((await page.act({ command: 'resume', run })).body).toMatchObject({ ok: true });
  await until(() => workspace.state(run).status === 'completed');
  expect(started()).toEqual([]);
});
