/** What is shown is whole, in view and true. */
import fs from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { runAddress, screenAddress } from './site.ts';

/** Its left and right edge are within those of what contains it. */
async function isWithin(inner: Locator, outer: Locator): Promise<boolean> {
  const [a, b] = [await inner.boundingBox(), await outer.boundingBox()];
  if (a === null || b === null) return false;
  const isWide = a.x >= b.x - 1 && a.x + a.width <= b.x + b.width + 1;
  return isWide && a.y >= b.y - 1 && a.y + a.height <= b.y + b.height + 1;
}

/** How much of a place is below what is seen. */
function below(place: Locator): Promise<number> {
  return place.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
}

/** Answers to such requests wait until the returned function is called. */
async function holdBack(context: BrowserContext, about: RegExp): Promise<() => Promise<void>> {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await context.route(about, async (route) => {
    await held;
    await route.continue();
  });
  return async () => {
    release();
    await context.unrouteAll({ behavior: 'wait' });
  };
}

it('a run opens with the step that asks in view, in the flow as in the tree', async () => {
  const steps = Array.from({ length: 40 }, (_, index) => `  - { name: Step${index}, command: [echo, a] }\n`);
  const workspace = new Workspace({
    'long.yaml': `name: long\nsteps:\n${steps.join('')}  - { name: Release, approve: { message: "Ship it?", choices: [ship] } }\n`,
  });
  await workspace.run(['run', 'long.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId));
  const row = page.locator('[data-key="Release"]');
  await expect.poll(() => isWithin(row, page.getByRole('tree'))).toBe(true);
  const node = page.locator('.gn.sel');
  await node.filter({ hasText: 'Release' }).waitFor();
  await expect.poll(() => isWithin(node, page.locator('.flow-scroll'))).toBe(true);
  await page.goto(runAddress(server, runId).replace('#', '?step=Step20#'));
  await expect.poll(() => isWithin(page.locator('[data-key="Step20"]'), page.getByRole('tree'))).toBe(true);
});

it('a step in view stays in view when the flow is shown after it, unless the user has scrolled elsewhere', async () => {
  const steps = Array.from({ length: 60 }, (_, index) => `  - { name: Step${index}, command: [echo, a] }\n`);
  const workspace = new Workspace({ 'long.yaml': `name: long\nsteps:\n${steps.join('')}` });
  await workspace.run(['run', 'long.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  for (const isScrolled of [false, true]) {
    const context = await person();
    const showFlow = await holdBack(context, /\/flow$/);
    const page = await openTab(context, runAddress(server, runId).replace('#', '?step=Step50#'));
    const tree = page.getByRole('tree');
    const row = page.locator('[data-key="Step50"]');
    await expect.poll(() => isWithin(row, tree)).toBe(true);
    const height = () => tree.evaluate((node) => node.clientHeight);
    const before = await height();
    if (isScrolled) {
      await tree.evaluate((node) => {
        node.scrollTop = 0;
      });
      await page.locator('[data-key="Step0"]').waitFor();
    }
    await showFlow();
    await page.locator('.gn.sel', { hasText: 'Step50' }).waitFor();
    await expect.poll(height).toBeLessThan(before);
    if (isScrolled) expect(await tree.evaluate((node) => node.scrollTop)).toBe(0);
    else await expect.poll(() => isWithin(row, tree)).toBe(true);
  }
});

it('the flow of a loop marks the chosen iteration alone', async () => {
  const status = 'claude-iterate/workspaces/task/.status.json';
  const workspace = new Workspace({
    'loop.sh': `cat > /dev/null; echo x >> work; echo '{"complete": false, "summary": "half done"}' > ${status}\n`,
  });
  await workspace.run(['iterate', 'init', 'task']);
  workspace.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n' });
  const agent = `sh '${path.join(workspace.folder, 'loop.sh')}'`;
  const options = ['--no-verify', '--no-delay', '--max-iterations', '3'];
  await workspace.run(['iterate', 'run', 'task', '--agent', agent, ...options]);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId));
  await page.locator('[data-key="iteration/2"]').click();
  await page.locator('.gn.sel', { hasText: 'iteration/2' }).waitFor();
  expect(await page.locator('.gn.sel').count()).toBe(1);
});

it('a step that runs counts its time, and one that was killed says so in the flow, not that it took 0 ms', async () => {
  const workspace = new Workspace({
    'held.yaml':
      'name: held\nsteps:\n  - { name: Hold, command: [bash, -c, "touch begun; until [ -e up ]; do sleep 0.05; done"] }\n',
  });
  const run = workspace.start(['run', 'held.yaml', '--quiet']);
  await until(() => workspace.has('begun'));
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId));
  const took = page.locator('.kv b').nth(1);
  await expect.poll(() => took.textContent()).toMatch(/^[1-9]/);
  run.child.kill('SIGKILL');
  await run.ended;
  await page.locator('.gn', { hasText: 'Hold' }).getByText('interrupted', { exact: true }).waitFor();
  workspace.write({ up: '' });
});

it('long words, and names deep in loops, are not cut at an edge', async () => {
  const word = 'x'.repeat(200);
  const loop = (name: string, inner: string) =>
    `[{ name: ${name}, for_each: { items: [a], as: ${name.toLowerCase()}, steps: ${inner} } }]`;
  const check = '[{ name: Check, command: [echo, a] }]';
  const workspace = new Workspace({
    'long.yaml': `name: long\nsteps:\n  - { name: Release, approve: { message: "Ship ${word}?", choices: [ship] } }\n`,
    'deep.yaml': `name: deep\nsteps: ${loop('Outer', loop('Inner', loop('Deep', check)))}\n`,
  });
  await workspace.run(['run', 'deep.yaml', '--quiet']);
  const [deep = ''] = workspace.runs();
  await workspace.run(['run', 'long.yaml', '--quiet']);
  const asking = workspace.runs().find((runId) => runId !== deep) ?? '';
  const server = await servePage(workspace);
  const page = await openTab(
    await person({ viewport: { width: 1280, height: 900 } }),
    screenAddress(server, 'inbox'),
  );
  const isWhole = (place: Locator) => place.evaluate((node) => node.scrollWidth <= node.clientWidth);
  await expect.poll(() => isWhole(page.locator('.item .q'))).toBe(true);
  await page.goto(runAddress(server, asking));
  await page.getByRole('tab', { name: 'Why' }).click();
  const why = page.locator('.why li', { hasText: word });
  await expect.poll(() => isWhole(why)).toBe(true);
  await page.goto(runAddress(server, deep));
  const name = page.locator('[data-key="Outer/0/Inner/0/Deep/0/Check"] .name');
  await expect.poll(() => isWithin(name.locator('b'), name)).toBe(true);
  expect(await isWhole(name.locator('b'))).toBe(true);
});

it('a short log has no range to move in', async () => {
  const workspace = new Workspace({
    'say.yaml': 'name: say\nsteps:\n  - { name: Say, command: [seq, "100"] }\n',
  });
  await workspace.run(['run', 'say.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId).replace('#', '?step=Say&tab=log#'));
  await page.locator('pre.log', { hasText: '100' }).waitFor();
  expect(await page.getByLabel('Place in the log').count()).toBe(0);
  const log = path.join(workspace.runFolder(), 'logs', 'Say.stdout');
  fs.appendFileSync(log, 'more words\n'.repeat(10_000));
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByLabel('Place in the log').waitFor();
});

it('a log shows its end also when the flow is shown after it', async () => {
  const workspace = new Workspace({
    'say.yaml': 'name: say\nsteps:\n  - { name: Say, command: [seq, "2000"] }\n',
  });
  await workspace.run(['run', 'say.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const context = await person();
  const showFlow = await holdBack(context, /\/flow$/);
  const page = await openTab(context, runAddress(server, runId).replace('#', '?step=Say&tab=log#'));
  await page.locator('pre.log', { hasText: '2000' }).waitFor();
  const place = page.getByRole('region', { name: 'Text' });
  const height = () => place.evaluate((node) => node.clientHeight);
  await expect.poll(() => below(place)).toBeLessThan(2);
  const before = await height();
  await showFlow();
  await expect.poll(height).toBeLessThan(before);
  await expect.poll(() => below(place)).toBeLessThan(2);
});

it('a log that is read stays where it is while more is printed, until its end is asked for', async () => {
  const print =
    'seq 2000; until [ -e go ]; do sleep 0.05; done; echo more words; until [ -e up ]; do sleep 0.05; done';
  const workspace = new Workspace({
    'say.yaml': `name: say\nsteps:\n  - { name: Say, command: [bash, -c, "${print}"] }\n`,
  });
  const run = workspace.start(['run', 'say.yaml', '--quiet']);
  await until(() => workspace.runs().length === 1);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const context = await person();
  const address = runAddress(server, runId).replace('#', '?step=Say&tab=log#');
  const [reading, following] = [await openTab(context, address), await openTab(context, address)];
  for (const page of [reading, following]) await page.locator('pre.log', { hasText: '2000' }).waitFor();
  const place = reading.getByRole('region', { name: 'Text' });
  await expect.poll(() => below(place)).toBeLessThan(2);
  const end = reading.getByRole('button', { name: 'End', exact: true });
  expect(await end.getAttribute('aria-pressed')).toBe('true');
  await place.hover();
  await reading.mouse.wheel(0, -3000);
  await expect.poll(() => end.getAttribute('aria-pressed')).toBe('false');
  workspace.write({ go: '' });
  await following.locator('pre.log', { hasText: 'more words' }).waitFor();
  expect(await reading.locator('pre.log', { hasText: 'more words' }).count()).toBe(0);
  await end.click();
  await reading.locator('pre.log', { hasText: 'more words' }).waitFor();
  await expect.poll(() => below(place)).toBeLessThan(2);
  workspace.write({ up: '' });
  await run.ended;
});

it('the states of a progress bar in a log are lines', async () => {
  const workspace = new Workspace({
    'load.yaml':
      'name: load\nsteps:\n  - { name: Load, command: [printf, "10%%\\r20%%\\r30%%\\r\\ndone\\n"] }\n',
  });
  await workspace.run(['run', 'load.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId).replace('#', '?step=Load&tab=log#'));
  const log = page.locator('pre.log', { hasText: 'done' });
  expect(await log.textContent()).toBe('10%\n20%\n30%\ndone\n');
});

it('the inbox says in words what is wrong with a run', async () => {
  const workspace = new Workspace({
    'bad.yaml': 'name: bad\nsteps:\n  - { name: Browser, command: ["false"] }\n',
  });
  await workspace.run(['run', 'bad.yaml', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'inbox'));
  await page.getByRole('region', { name: 'bad' }).getByText('Browser failed', { exact: true }).waitFor();
});

it('the filters of the list have no counts before there is an answer', async () => {
  const workspace = new Workspace({
    'say.yaml': 'name: say\nsteps:\n  - { name: Say, command: [echo, a] }\n',
  });
  await workspace.run(['run', 'say.yaml', '--quiet']);
  const server = await servePage(workspace);
  const context = await person();
  const showRuns = await holdBack(context, /\/runs\?/);
  const page = await openTab(context, screenAddress(server, 'runs'));
  const all = page.locator('.chip', { hasText: 'All' });
  await all.waitFor();
  expect((await all.textContent())?.trim()).toBe('All');
  await showRuns();
  await all.getByText('1', { exact: true }).waitFor();
});
