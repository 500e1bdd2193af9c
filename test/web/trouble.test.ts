/** Killed servers, damaged files, full disks: a sentence each, and an empty console. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { ASKS, REFUSED, runAddress, SLOW, screenAddress } from './site.ts';

/** 250 items, each of which is two steps: more than a thousand events, once there is a file `open`. */
const MANY = `name: many
steps:
  - name: Numbers
    command: [bash, -c, "until [ -e open ]; do sleep 0.01; done; seq 250"]
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.Numbers.lines
      as: n
      max_parallel: 4
      steps:
        - { name: One, command: [echo, "one \${n}"] }
        - { name: Two, command: [echo, "two \${n}"] }
`;

/** Resolves when the tree shows all rows at the place to which it was scrolled. */
async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const tree = document.querySelector('[role=tree]');
    const rows = [...document.querySelectorAll('[role=treeitem]')];
    if (tree === null || rows.length === 0 || document.querySelector('[aria-label=Loading]') !== null)
      return false;
    const view = tree.getBoundingClientRect();
    const last = rows.at(-1)?.getBoundingClientRect();
    const isAtEnd = tree.scrollTop + tree.clientHeight >= tree.scrollHeight - 1;
    return (
      (rows[0]?.getBoundingClientRect().top ?? 0) <= view.top &&
      (last?.bottom ?? 0) >= view.bottom - (isAtEnd ? 40 : 0)
    );
  });
}

it('a server that is killed during a thousand events and started again leaves no gap and no duplicate', async () => {
  const workspace = new Workspace({ 'many.yaml': MANY });
  let server = await servePage(workspace);
  const run = workspace.start(['run', 'many.yaml', '--quiet']);
  await until(() => workspace.runs().length > 0 && workspace.journal().length > 1);
  const [runId = ''] = workspace.runs();
  const page = await openTab(await person(), runAddress(server, runId), REFUSED);
  await page.locator('.head').getByText('Running').waitFor();
  workspace.write({ open: '' });
  for (const events of [250, 500, 750]) {
    await until(() => workspace.journal(runId).length > events);
    server.started.child.kill('SIGKILL');
    await server.started.ended;
    server = await servePage(workspace, ['--port', String(server.port)]);
  }
  await run.ended;
  expect(workspace.journal(runId).length).toBeGreaterThan(1000);
  await page.locator('.head').getByText('Completed').waitFor();
  const { totals } = workspace.state(runId);
  await page.locator('.facts', { hasText: `${totals.steps_completed} done` }).waitFor();
  await page.locator('[data-key="Each"][data-status=completed]', { hasText: '250 items' }).waitFor();
  const each = page.locator('[data-key="Each"]');
  if ((await each.getAttribute('aria-expanded')) === 'false') await each.locator('.chev').click();
  // Every row, from top to bottom: each key once, in order, completed.
  const seen = new Map<string, string>();
  const tree = page.locator('[role=tree]');
  for (let top = 0; ; top += 400) {
    const more = await tree.evaluate((node, to) => {
      node.scrollTop = to;
      return node.scrollTop >= to;
    }, top);
    await drawn(page);
    const rows = await page
      .locator('[role=treeitem]')
      .evaluateAll((nodes) =>
        nodes.map((node) => [node.getAttribute('data-key') ?? '', node.getAttribute('data-status') ?? '']),
      );
    expect(new Set(rows.map(([key]) => key)).size).toBe(rows.length);
    for (const [key = '', status = ''] of rows) seen.set(key, status);
    if (!more) break;
  }
  const items = [...seen.keys()].filter((key) => /^Each\/\d+$/.test(key));
  expect(items).toEqual(Array.from({ length: 250 }, (_, index) => `Each/${index}`));
  expect(new Set(seen.values())).toEqual(new Set(['completed']));
}, 180_000);

it('an answer is carried out even if the server is killed in that moment', async () => {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId), REFUSED);
  await page.getByRole('button', { name: 'ship' }).click();
  await until(() => workspace.journal(runId).some(({ type }) => type === 'run-resumed'));
  server.started.child.kill('SIGKILL');
  await server.started.ended;
  await until(() => workspace.state(runId).status === 'completed');
  expect(workspace.journal(runId).filter(({ type }) => type === 'question-answered')).toHaveLength(1);
});

describe('the page says what is wrong', () => {
  it('with a truncated journal, and with a run whose view is missing', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const server = await servePage(workspace);
    const page = await openTab(await person(), runAddress(server, runId));
    await page.locator('[data-key="Release"][data-status=waiting]').waitFor();
    fs.rmSync(path.join(workspace.runFolder(), 'state.json'));
    await page.reload();
    await page.locator('[data-key="Release"][data-status=waiting]').waitFor();
    await page.locator('.head').getByText('Waiting for you').waitFor();
    const file = path.join(workspace.runFolder(), 'journal.jsonl');
    const lines = fs.readFileSync(file, 'utf8').split('\n');
    // Cut in the middle of the record that asks.
    const at = lines.findIndex((line) => line.includes('"question-asked"'));
    fs.truncateSync(file, Buffer.byteLength(lines.slice(0, at).join('\n')) + 30);
    await page.locator('[data-key="Release"]').waitFor({ state: 'detached' });
    await page.locator('[data-key="Build"][data-status=completed]').waitFor();
    await page.locator('.head').getByText('Interrupted').waitFor();
  });

  it('with a run that another machine holds', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    fs.writeFileSync(
      path.join(workspace.runFolder(), 'lock'),
      JSON.stringify({
        ...{ pid: 1, startTime: '0', host: 'elsewhere', bootId: 'b', nonce: '0'.repeat(32) },
        acquiredAt: new Date().toISOString(),
      }),
    );
    const server = await servePage(workspace);
    const page = await openTab(await person(), runAddress(server, runId));
    await page.locator('[data-key="Build"][data-status=completed]').waitFor();
    await page.getByRole('button', { name: 'ship' }).click();
    // Its owner takes the answer up; nothing is started beside it.
    await page.locator('.toast', { hasText: 'Recorded ship for Release. The run continues.' }).waitFor();
    expect(workspace.journal(runId).some(({ type }) => type === 'run-resumed')).toBe(false);
    await page.locator('.head').getByText('Waiting for you').waitFor();
  });

  it('with a workspace that was removed while it was open', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const server = await servePage(workspace);
    const page = await openTab(await person(), screenAddress(server, 'runs'));
    await page.locator('.trw').waitFor();
    fs.rmSync(path.join(workspace.folder, '.orchestrate'), { recursive: true });
    await page.getByText('No runs yet.').waitFor();
    for (const screen of [
      'Inbox',
      'Loops',
      'Sessions',
      'Phases',
      'Conversations',
      'Queues',
      'Schedule',
      'Costs',
    ]) {
      await page.getByRole('link', { name: screen }).first().click();
      await page.locator('.empty').waitFor();
    }
  });

  const canMount = (() => {
    const probe = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-mount-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe]).status === 0;
    if (mounted) spawnSync('umount', ['-l', probe]);
    fs.rmdirSync(probe);
    return mounted;
  })();

  /** A run that asks, on a disk of its own. */
  async function onSmallDisk(
    env = {},
  ): Promise<{ workspace: Workspace; runId: string; fill(): void; free(): void }> {
    const workspace = new Workspace();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4096k', 'tmpfs', workspace.folder]);
    expect(mounted.status).toBe(0);
    onTestFinished(() => {
      spawnSync('umount', ['-l', workspace.folder]);
    });
    workspace.write({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet'], { env });
    const [runId = ''] = workspace.runs();
    const filler = path.join(workspace.folder, 'filler');
    const fill = () => {
      const { bavail, bsize } = fs.statfsSync(workspace.folder);
      fs.writeFileSync(filler, Buffer.alloc(bavail * bsize));
    };
    return { workspace, runId, fill, free: () => fs.rmSync(filler) };
  }

  // Mounting needs root; without it there is no disk small enough to fill.
  it.skipIf(!canMount)('with a disk that is full when an answer is given', async () => {
    const { workspace, runId, fill, free } = await onSmallDisk();
    const server = await servePage(workspace);
    const page = await openTab(await person(), runAddress(server, runId));
    await page.getByRole('button', { name: 'ship' }).waitFor();
    fill();
    await page.getByRole('button', { name: 'ship' }).click();
    await page.locator('.toast').waitFor();
    expect(await page.locator('.toast').textContent()).toContain('disk is full');
    free();
    await page.getByRole('button', { name: 'ship' }).click();
    await page.locator('.head').getByText('Completed').waitFor();
  });

  it.skipIf(!canMount)(
    'with a disk that is full when the server starts; its keeper works once it is not',
    async () => {
      const env = { HOME: temporaryFolder() };
      const { workspace, runId, fill, free } = await onSmallDisk(env);
      await workspace.run(['approve', runId, 'Release', '--choose', 'ship'], { env });
      fill();
      // The token is kept in the home: on the same disk, nothing would start.
      expect(await workspace.run(['serve', '--port', '0'])).toMatchObject({
        exitCode: 1,
        stderr: 'error: cannot keep the token of the page: the disk is full (ENOSPC)\n',
      });
      const server = await servePage(workspace, [], { isKeeping: true, env });
      const page = await openTab(await person(), runAddress(server, runId));
      await page.locator('[data-key="Build"][data-status=completed]').waitFor();
      for (const screen of ['Inbox', 'Costs', 'Schedule', 'Runs']) {
        await page.getByRole('link', { name: screen }).first().click();
        await page.locator('h1', { hasText: screen }).waitFor();
      }
      free();
      await page.locator('.trw', { hasText: 'ask' }).getByText('Completed').waitFor();
      expect(workspace.journal(runId).filter(({ type }) => type === 'run-resumed')).toHaveLength(1);
      // A page that is still open would ask a server that is gone.
      await page.close();
      server.started.child.kill('SIGTERM');
      expect(await server.started.ended).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('disk is full'),
      });
    },
    60_000,
  );
});

it('a run that is killed is shown as interrupted, and the keeper resumes it', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const server = await servePage(workspace, [], { isKeeping: true });
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  await until(
    () => workspace.runs().length > 0 && workspace.journal().some(({ type }) => type === 'process-started'),
  );
  const [runId = ''] = workspace.runs();
  const page = await openTab(await person(), runAddress(server, runId));
  await page.locator('.head').getByText('Running').waitFor();
  run.child.kill('SIGKILL');
  await until(() => workspace.journal(runId).some(({ type }) => type === 'run-resumed'));
  workspace.write({ 'go-a': '', 'go-b': '', 'go-c': '', 'go-d': '' });
  await page.locator('.head').getByText('Completed').waitFor();
});
