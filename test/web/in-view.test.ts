/** What is shown is whole, in view and true. */
import fs from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
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

it('a step that was killed says so in the flow, not that it took 0 ms', async () => {
  const workspace = new Workspace({
    'held.yaml':
      'name: held\nsteps:\n  - { name: Hold, command: [bash, -c, "touch begun; until [ -e up ]; do sleep 0.05; done"] }\n',
  });
  const run = workspace.start(['run', 'held.yaml', '--quiet']);
  await until(() => workspace.has('begun'));
  const [runId = ''] = workspace.runs();
  run.child.kill('SIGKILL');
  await run.ended;
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId));
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
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await context.route(/\/runs\?/, async (route) => {
    await held;
    await route.continue();
  });
  const page = await openTab(context, screenAddress(server, 'runs'));
  const all = page.locator('.chip', { hasText: 'All' });
  await all.waitFor();
  expect((await all.textContent())?.trim()).toBe('All');
  release();
  await all.getByText('1', { exact: true }).waitFor();
  await context.unrouteAll({ behavior: 'wait' });
});
