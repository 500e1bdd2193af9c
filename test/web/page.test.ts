/** The page in a real browser. */
import fs from 'node:fs';
import path from 'node:path';
import type { Page, Request } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { EXAMPLES } from '../rig/example.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { ASKS, axeFindings, REFUSED, runAddress, SLOW, screenAddress, statusOf } from './site.ts';

describe('a run of the shell', () => {
  it('appears, continues and ends on the page without reload', async () => {
    const workspace = new Workspace({ 'slow.yaml': SLOW });
    const server = await servePage(workspace);
    const page = await openTab(await person(), server.url);
    await page.getByText('No runs yet.').waitFor();
    const run = workspace.start(['run', 'slow.yaml', '--quiet']);
    await page.locator('.trw', { hasText: 'slow' }).getByText('Running').waitFor();
    workspace.write({ 'go-a': '' });
    await page.locator('.nowc', { hasText: '1 of 4 items done' }).waitFor();
    await page.locator('.trw a', { hasText: 'slow' }).click();
    await page.locator('[data-key="Each/1/Wait"]').waitFor();
    workspace.write({ 'go-b': '', 'go-c': '', 'go-d': '' });
    await page.locator('.head').getByText('Completed').waitFor();
    await run.ended;
    await page.locator('[data-key="Each/3/Wait"][data-status=completed]').waitFor();
    await page.locator('[data-key="Each/3/Wait"]').click();
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.locator('pre.log', { hasText: 'done d' }).waitFor();
  });

  it('that is killed is shown as interrupted', async () => {
    const workspace = new Workspace({ 'slow.yaml': SLOW });
    const server = await servePage(workspace);
    const run = workspace.start(['run', 'slow.yaml', '--quiet']);
    await until(
      () => workspace.runs().length > 0 && workspace.journal().some(({ type }) => type === 'process-started'),
    );
    const [runId = ''] = workspace.runs();
    const page = await openTab(await person(), runAddress(server, runId));
    await page.locator('.head').getByText('Running').waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
    run.child.kill('SIGKILL');
    await page.locator('.head').getByText('Interrupted').waitFor();
  });
});

describe('an answer that is older than what has arrived live', () => {
  /** Answers of this address are computed at once, and delivered when the returned function is called. */
  async function hold(page: Page, address: RegExp): Promise<{ held(): number; release(): void }> {
    const waiting: (() => void)[] = [];
    let isOpen = false;
    await page.route(address, async (route) => {
      if (isOpen) return route.continue();
      const response = await route.fetch();
      const body = await response.body();
      if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
      return route.fulfill({ response, body });
    });
    const release = () => {
      isOpen = true;
      for (const resolve of waiting) resolve();
    };
    // An answer that is still on its way when the browser is closed would fail the test run.
    onTestFinished(() => {
      release();
      return page.unrouteAll({ behavior: 'wait' });
    });
    return { held: () => waiting.length, release };
  }

  async function started(): Promise<{ workspace: Workspace; runId: string; ended: Promise<unknown> }> {
    const workspace = new Workspace({ 'slow.yaml': SLOW });
    const run = workspace.start(['run', 'slow.yaml', '--quiet']);
    await until(
      () => workspace.runs().length > 0 && workspace.journal().some(({ type }) => type === 'process-started'),
    );
    return { workspace, runId: workspace.runs()[0] ?? '', ended: run.ended };
  }

  it('does not bring back a row that has ended', async () => {
    const { workspace, runId } = await started();
    const server = await servePage(workspace);
    const page = await openTab(await person(), server.url);
    const steps = await hold(page, /\/steps\?limit=1000$/);
    await page.locator('.trw').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await until(() => steps.held() > 0);
    workspace.write({ 'go-a': '' });
    await page.locator('.facts', { hasText: '1 done' }).waitFor();
    steps.release();
    await page.locator('[data-key="Each/1/Wait"][data-status=running]').waitFor();
    expect(await statusOf(page, 'Each/0/Wait')).toBe('completed');
    expect(workspace.runs()).toEqual([runId]);
  });

  it('does not bring back the status of a run that has ended', async () => {
    const { workspace, runId, ended } = await started();
    const server = await servePage(workspace);
    const page = await openTab(await person(), server.url);
    const answers = await hold(page, new RegExp(`/api/v1/.*/runs/${runId}$`));
    await page.locator('.trw').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await until(() => answers.held() > 0);
    workspace.write({ 'go-a': '', 'go-b': '', 'go-c': '', 'go-d': '' });
    await ended;
    answers.release();
    await page.locator('[data-key="Each/3/Wait"][data-status=completed]').waitFor();
    await page.locator('.head').getByText('Completed').waitFor();
  });
});

it('asks again for what a server that was killed did not answer', async () => {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const first = await servePage(workspace);
  const page = await openTab(await person(), first.url, REFUSED);
  await page.locator('.trw').waitFor();
  first.started.child.kill('SIGKILL');
  await first.started.ended;
  await page.getByText('Connecting…').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.locator('.banner', { hasText: 'The server does not answer.' }).waitFor();
  await servePage(workspace, ['--port', String(first.port)]);
  await page.locator('[data-key="Build"][data-status=completed]').waitFor();
  expect(page.url()).toContain(runId);
});

it('opens the log or the transcript of every step, earlier visits too', async () => {
  const workspace = new Workspace();
  fs.cpSync(path.join(EXAMPLES, 'team'), workspace.folder, { recursive: true });
  await workspace.run(['run', 'team.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(
    await person({ viewport: { width: 1440, height: 1600 } }),
    runAddress(server, runId),
  );
  await page.locator('[data-key="Release"]').waitFor();
  for (const key of ['Engineer/0/Implement', 'Engineer#2/0/Implement', 'Qa#2/0/Review']) {
    await page.locator(`[data-key="${key}"]`).click();
    await page.getByRole('tab', { name: 'Transcript' }).click();
    await page.locator('.ev', { hasText: 'Result' }).last().waitFor();
    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.locator('pre.log').waitFor();
    await page.getByRole('tab', { name: 'Why' }).click();
    await page.locator('.why li').first().waitFor();
  }
  const flow = page.locator('svg[aria-label="Flow of the run"]');
  await flow.getByText('goto on success · ×1').waitFor();
  await flow.locator('.gn.plan', { hasText: 'Publish' }).waitFor();
  const shown = JSON.parse((await workspace.run(['show', runId, '--json'])).stdout);
  await page
    .locator('.facts', {
      hasText: `${shown.totals.steps_completed} done, ${shown.totals.steps_skipped} skipped`,
    })
    .waitFor();
});

describe('a question', () => {
  it('of two answers takes one and refuses the other in words; nothing is pre-chosen', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const server = await servePage(workspace);
    const one = await openTab(await person(), runAddress(server, runId));
    const other = await openTab(await person(), screenAddress(server, 'inbox'));
    const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
    for (const page of [one, other]) {
      await page.getByRole('button', { name: 'ship' }).waitFor();
      expect(['ship', 'hold']).not.toContain(await focused(page));
      expect(
        await page.locator('[aria-pressed=true]:is(:text("ship"), :text("hold")), .primary.choice').count(),
      ).toBe(0);
    }
    await Promise.all([
      one.getByRole('button', { name: 'ship' }).click(),
      other.getByRole('button', { name: 'hold' }).click(),
    ]);
    const said = await Promise.all([one, other].map((page) => page.locator('.toast').textContent()));
    expect(said.filter((text) => text?.startsWith('Recorded'))).toHaveLength(1);
    expect(said.filter((text) => text?.includes('already'))).toHaveLength(1);
    await one.locator('.head').getByText('Completed').waitFor();
    await other.getByText('Nothing waits for you.').waitFor();
    expect(workspace.journal(runId).filter(({ type }) => type === 'question-answered')).toHaveLength(1);
  });

  it('is answered by keyboard alone', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const server = await servePage(workspace);
    const page = await openTab(await person(), server.url);
    await page.locator('.trw').waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
    await page.keyboard.press('j');
    await page.locator('.trw.on').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.head').getByText('Waiting for you').waitFor();
    await page.locator('[data-key="Build"]').waitFor();
    await page.keyboard.press('k');
    await page.locator('[data-key="Build"][aria-selected=true]').waitFor();
    await page.keyboard.press('w');
    await page.getByRole('tab', { name: 'Why', selected: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    const ship = page.getByRole('button', { name: 'ship' });
    await ship.waitFor();
    for (
      let tries = 0;
      tries < 40 && (await page.evaluate(() => document.activeElement?.textContent)) !== 'ship';
      tries += 1
    )
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: 'Recorded ship for Release' }).waitFor();
    await until(() => workspace.state(runId).status === 'completed');
  });
});

it('continues after the server was killed and started again', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const first = await servePage(workspace);
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  await until(
    () => workspace.runs().length > 0 && workspace.journal().some(({ key }) => key === 'Each/0/Wait'),
  );
  const [runId = ''] = workspace.runs();
  const page = await openTab(await person(), runAddress(first, runId), REFUSED);
  await page.locator('[data-key="Each/0/Wait"]').waitFor();
  first.started.child.kill('SIGKILL');
  await first.started.ended;
  await page.getByText('Connecting…').first().waitFor();
  workspace.write({ 'go-a': '', 'go-b': '', 'go-c': '' });
  await until(() => workspace.journal().some(({ key }) => key === 'Each/3/Wait'));
  await servePage(workspace, ['--port', String(first.port)]);
  await page.locator('[data-key="Each/3/Wait"][data-status=running]').waitFor();
  workspace.write({ 'go-d': '' });
  await run.ended;
  await page.locator('.head').getByText('Completed').waitFor();
  expect(await statusOf(page, 'Each/2/Wait')).toBe('completed');
  expect(await page.locator('[role=treeitem]').count()).toBe(9);
});

it('says what is wrong with a damaged, replaced or removed run, and does not crash', async () => {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const context = await person();
  const page = await openTab(context, runAddress(server, runId));
  await page.locator('[data-key="Build"]').waitFor();
  const file = path.join(workspace.runFolder(), 'journal.jsonl');
  const whole = fs.readFileSync(file);
  const flipped = Buffer.from(whole);
  const at = whole.toString('utf8').split('\n').slice(0, 5).join('\n').length + 20;
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  fs.writeFileSync(file, flipped);
  await page.getByText(/^The journal is damaged: line .* Everything before the damage is shown;/).waitFor();
  // They need the whole journal.
  await page
    .getByRole('button', { name: /^(Report|Fork)/ })
    .first()
    .waitFor({ state: 'detached' });
  fs.writeFileSync(file, whole);
  await page.getByText('The journal is damaged').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Report' }).waitFor();
  fs.rmSync(workspace.runFolder(), { recursive: true });
  await page.getByText('The folder of this run was removed.').waitFor();
  // Nothing can be done with it any more.
  const buttons = page.getByRole('button', { name: /^(Report|Fork|Cancel run)/ });
  await buttons.first().waitFor({ state: 'detached' });
  const again = await openTab(context, runAddress(server, runId));
  await again.getByText('This run does not exist, or its folder was removed.').waitFor();
});

it('shows what logs and agents say as text, never as HTML', async () => {
  const workspace = new Workspace({
    'evil.yaml':
      'name: "<img src=x onerror=alert(1)>"\nsteps:\n  - name: Say\n    command: [printf, "<script>window.hurt=1</script><img src=x onerror=window.hurt=1>\\\\033]8;;https://evil.example\\\\033\\\\\\\\link\\\\033]8;;\\\\033\\\\\\\\\\\\n"]\n',
  });
  await workspace.run(['run', 'evil.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId), /TrustedHTML|trusted-types/i);
  await page.locator('[data-key="Say"]').click();
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.locator('pre.log', { hasText: '<script>window.hurt=1</script>' }).waitFor();
  expect(await page.locator('pre.log').textContent()).toContain('link');
  expect(await page.locator('pre.log *').count()).toBe(0);
  await page.locator('h1', { hasText: '<img src=x onerror=alert(1)>' }).waitFor();
  expect(await page.evaluate(() => (window as unknown as { hurt?: number }).hurt)).toBeUndefined();
  const refused = await page.evaluate(() => {
    try {
      document.body.innerHTML = '<b>x</b>';
      return 'written';
    } catch (problem) {
      return (problem as Error).name;
    }
  });
  expect(refused).toBe('TypeError');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(server.url);
  await page.locator('.trw').waitFor();
  expect(
    requests.filter(
      (url) => new URL(url).pathname.includes(server.token) || new URL(url).search.includes(server.token),
    ),
  ).toEqual([]);
  expect(page.url()).not.toContain(server.token);
});

describe('fifty tabs', () => {
  /** All of them draw the list at once: that takes minutes on a busy machine. */
  const SLOWEST_MS = 180_000;

  it('share at most two streams', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const server = await servePage(workspace);
    const context = await person();
    const open = new Set<Request>();
    let most = 0;
    context.on('request', (request) => {
      if (!request.url().includes('/events?')) return;
      open.add(request);
      most = Math.max(most, open.size);
    });
    context.on('requestfailed', (request) => open.delete(request));
    context.on('requestfinished', (request) => open.delete(request));
    const tabs: Page[] = [];
    for (let count = 0; count < 50; count += 1) {
      const tab = await context.newPage();
      await tab.goto(server.url, { waitUntil: 'commit' });
      tabs.push(tab);
    }
    for (const tab of tabs) await tab.locator('.trw').waitFor({ timeout: SLOWEST_MS });
    expect(most).toBeLessThanOrEqual(2);
    const [leader, ...rest] = tabs;
    const ofLeader = [...open].filter((request) => request.frame().page() === leader);
    await leader?.close();
    // The browser does not say that requests of a closed tab have ended.
    for (const request of ofLeader) open.delete(request);
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    for (const tab of [rest[0], rest[48]]) await tab?.locator('.trw').nth(1).waitFor({ timeout: SLOWEST_MS });
    expect(most).toBeLessThanOrEqual(2);
  }, 600_000);
});

describe('everybody', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    it(`can read it: no finding of axe, ${colorScheme}`, async () => {
      const workspace = new Workspace({
        'ask.yaml': ASKS,
        'fail.yaml':
          'name: fails\nsteps:\n  - name: Break\n    command: [bash, -c, "echo broken >&2; exit 1"]\n',
      });
      await workspace.run(['run', 'ask.yaml', '--quiet']);
      await workspace.run(['run', 'fail.yaml', '--quiet']);
      const [asks = '', fails = ''] = workspace.runs();
      const server = await servePage(workspace);
      const context = await person({ colorScheme, bypassCSP: true });
      const addresses = [
        'runs',
        'inbox',
        'costs',
        'loops',
        'sessions',
        'phases',
        'conversations',
        'queues',
        `runs/${asks}`,
        `runs/${fails}?tab=log`,
      ];
      const page = await openTab(context, server.url);
      for (const address of addresses) {
        await page.goto(screenAddress(server, address));
        await page.locator('h1').first().waitFor();
        if (address.includes('/')) await page.locator('.kv').waitFor();
        expect(await axeFindings(page), address).toEqual([]);
      }
    });

  it('can use it with a thumb: nothing scrolls sideways, targets have 44 pixels', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const server = await servePage(workspace);
    const context = await person({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const page = await openTab(context, server.url);
    for (const screen of ['runs', 'inbox', 'costs', 'loops', `runs/${runId}`]) {
      await page.goto(screenAddress(server, screen));
      await page.locator('h1').first().waitFor();
      await page.locator('.card').first().waitFor();
      const { scrolls, small } = await page.evaluate(() => ({
        scrolls:
          document.documentElement.scrollWidth > innerWidth ||
          [...document.querySelectorAll('main')].some((main) => main.scrollWidth > main.clientWidth),
        small: [...document.querySelectorAll('button, .btn, .tabbar a')]
          .filter((node) => node.getClientRects().length > 0 && !node.classList.contains('chev'))
          .filter((node) => node.getBoundingClientRect().height < 44)
          .map((node) => node.textContent),
      }));
      expect({ screen, scrolls, small }).toEqual({ screen, scrolls: false, small: [] });
    }
    await page.goto(screenAddress(server, 'inbox'));
    await page.getByRole('button', { name: 'ship' }).tap();
    await page.locator('.toast', { hasText: 'Recorded ship' }).waitFor();
  });
});

it('has no buttons that change something on a read-only page', async () => {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace, ['--read-only']);
  const page = await openTab(await person(), server.url);
  await page.locator('.trw').waitFor();
  for (const address of ['runs', 'inbox', `runs/${runId}`]) {
    await page.goto(screenAddress(server, address));
    await page.getByText('Ship it?').first().waitFor();
    const names = await page.getByRole('button').allTextContents();
    for (const name of ['ship', 'hold', 'Cancel run', 'Resume', 'Start a workflow', 'Cancel'])
      expect(names).not.toContain(name);
  }
});

it('opens a log of a gigabyte at its end, follows it, finds and jumps', async () => {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const log = path.join(workspace.runFolder(), 'logs', 'Build.stdout');
  fs.truncateSync(log, 0);
  const handle = fs.openSync(log, 'r+');
  // Sparse: as long as the real thing, without filling the disk.
  fs.writeSync(handle, 'the first line\n', 0);
  fs.writeSync(handle, '\na needle in the middle\n', 200 << 20);
  fs.writeSync(handle, '\nthe last line\n', 1 << 30);
  fs.closeSync(handle);
  const server = await servePage(workspace);
  const page = await openTab(
    await person(),
    `${runAddress(server, runId).replace('#', '?step=Build&tab=log#')}`,
  );
  await page.locator('pre.log', { hasText: 'the last line' }).waitFor();
  fs.appendFileSync(log, 'and one more\n');
  await page.locator('pre.log', { hasText: 'and one more' }).waitFor();
  await page.getByLabel('Search the log').fill('needle');
  await page.keyboard.press('Enter');
  await page.locator('pre.log', { hasText: 'a needle in the middle' }).waitFor();
  await page.getByLabel('Place in the log').fill('0');
  await page.locator('pre.log', { hasText: 'the first line' }).waitFor();
  await page.getByRole('button', { name: 'End' }).click();
  await page.locator('pre.log', { hasText: 'and one more' }).waitFor();
});
