/** Messages and answers come over different connections, in any order. */
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { runAddress, SLOW, screenAddress } from './site.ts';

/** Holds the first answer to each address that matches until it is released; the server has long made it. */
async function holdFirst(
  page: Page,
  address: RegExp,
): Promise<{ held(count: number): Promise<void>; release(): void }> {
  const seen = new Set<string>();
  let made = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    const url = route.request().url();
    if (seen.has(url)) return route.continue();
    seen.add(url);
    const response = await route.fetch();
    made += 1;
    await released;
    return route.fulfill({ response });
  });
  // An answer that is still on its way when the browser is closed would fail the test run.
  onTestFinished(() => {
    release();
    return page.unrouteAll({ behavior: 'wait' });
  });
  return { held: (count) => until(() => made >= count), release };
}

/** Resolves when the tabs of this browser were told that the run has ended. */
async function toldOfTheEnd(
  context: BrowserContext,
  url: string,
  topic: string,
): Promise<() => Promise<void>> {
  const witness = await context.newPage();
  await witness.goto(`${new URL(url).origin}/icon.svg`);
  await witness.evaluate((wanted) => {
    const channel = new BroadcastChannel('orchestrate');
    (window as unknown as { told: Promise<void> }).told = new Promise((resolve) => {
      channel.onmessage = ({ data }) => {
        const { topic, summary, changed } = data.message ?? {};
        const rows = summary === undefined ? (changed ?? []) : [summary];
        if (topic === wanted && rows.some((row: { status: string }) => row.status === 'completed')) resolve();
      };
    });
  }, topic);
  return () => witness.evaluate(() => (window as unknown as { told: Promise<void> }).told);
}

async function almostDone(workspace: Workspace) {
  workspace.write({ 'go-a': '', 'go-b': '', 'go-c': '' });
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  await until(
    () =>
      workspace.runs().length > 0 &&
      workspace.journal().some(({ type, key }) => type === 'process-started' && key === 'Each/3/Wait'),
  );
  return { run, runId: workspace.runs()[0] ?? '' };
}

it('a run that ends while its page is being loaded is shown as ended, with all its steps', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const { run, runId } = await almostDone(workspace);
  const server = await servePage(workspace);
  const context = await person();
  const told = await toldOfTheEnd(context, server.url, `run:${runId}`);
  const page = await openTab(context, screenAddress(server, 'costs'));
  await page.getByText('Live', { exact: true }).first().waitFor();
  const answers = await holdFirst(page, new RegExp(`/runs/${runId}(/steps\\?.*|/flow)?$`));
  const subscribed = page.waitForResponse((response) => response.url().includes(`run%3A${runId}`));
  await goTo(page, runAddress(server, runId));
  await answers.held(2);
  await subscribed;
  workspace.write({ 'go-d': '' });
  await run.ended;
  await told();
  answers.release();
  await isShownAsEnded(page);
});

it('so is one that ended before the page could listen', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const { run, runId } = await almostDone(workspace);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'costs'));
  await page.getByText('Live', { exact: true }).first().waitFor();
  const answers = await holdFirst(page, new RegExp(`/runs/${runId}(/steps\\?.*|/flow)?$`));
  let listen = () => {};
  const mayListen = new Promise<void>((resolve) => {
    listen = resolve;
  });
  await page.route(new RegExp(`/events\\?.*run%3A${runId}`), async (route) => {
    await mayListen;
    return route.continue();
  });
  await goTo(page, runAddress(server, runId));
  await answers.held(2);
  workspace.write({ 'go-d': '' });
  await run.ended;
  listen();
  answers.release();
  await isShownAsEnded(page);
});

/** As a link does: the page is not loaded again. */
async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), new URL(address).pathname);
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
}

async function isShownAsEnded(page: Page): Promise<void> {
  await page.locator('.head').getByText('Completed').waitFor();
  await page.locator('[data-key="Each/3/Wait"][data-status=completed]').waitFor();
  await page.locator('[data-key="Each"][data-status=completed]').waitFor();
  expect(await page.locator('[data-status=running]').count()).toBe(0);
}

it('a run that ends while the list of runs is being loaded is shown as ended', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const { run } = await almostDone(workspace);
  const server = await servePage(workspace);
  const context = await person();
  const told = await toldOfTheEnd(context, server.url, 'runs');
  const page = await openTab(context, screenAddress(server, 'costs'));
  await page.getByText('Live', { exact: true }).first().waitFor();
  const answers = await holdFirst(page, /\/runs\?limit=50&/);
  await page.getByRole('link', { name: 'Runs' }).first().click();
  await answers.held(1);
  workspace.write({ 'go-d': '' });
  await run.ended;
  await told();
  answers.release();
  await page.locator('.trw', { hasText: 'slow' }).getByText('Completed').waitFor();
  await page.getByRole('button', { name: 'Completed 1' }).waitFor();
});

it('items that were added while there was no stream are unfolded like the others; what was folded stays folded', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW, 'go-a': '' });
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  await until(
    () => workspace.runs().length > 0 && workspace.journal().some(({ key }) => key === 'Each/1/Wait'),
  );
  const server = await servePage(workspace);
  const page = await (await person()).newPage();
  // Without any message of a stream, a page that gets one loads the run again.
  let isOpen = false;
  await page.route(/\/events\?/, (route) => (isOpen ? route.continue() : route.abort()));
  await page.goto(runAddress(server, workspace.runs()[0] ?? ''));
  await page.locator('[data-key="Each/1/Wait"][data-status=running]').waitFor();
  await page.locator('[data-key="Each/0"] .chev').click();
  await page.locator('[data-key="Each/0/Wait"]').waitFor({ state: 'detached' });
  workspace.write({ 'go-b': '', 'go-c': '' });
  await until(() => workspace.journal().some(({ key }) => key === 'Each/3/Wait'));
  isOpen = true;
  await page.locator('[data-key="Each/3/Wait"][data-status=running]').waitFor();
  await page.locator('[data-key="Each/2/Wait"][data-status=completed]').waitFor();
  expect(await page.locator('[data-key="Each/0/Wait"]').count()).toBe(0);
  workspace.write({ 'go-d': '' });
  await run.ended;
});
