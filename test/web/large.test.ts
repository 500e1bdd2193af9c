/** A run of a hundred thousand steps. */
import { expect, it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { repeatSteps, TWO_STEPS } from '../rig/large-run.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { runAddress } from './site.ts';

const STEPS = 100_000;
const FAILED = 77_777;

it('opens, scrolls, filters and stays small', async () => {
  const workspace = new Workspace({ 'two.yaml': TWO_STEPS });
  await workspace.run(['run', 'two.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  repeatSteps(workspace.runFolder(), { steps: STEPS, failed: FAILED });
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId));
  page.setDefaultTimeout(60_000);
  await page.locator('[data-key="Step000000"]').waitFor();
  const tree = page.locator('[role=tree]');
  expect(await tree.evaluate((node) => node.scrollHeight)).toBeGreaterThanOrEqual(STEPS * 24);
  for (const [place, key] of [
    [0.5, 'Step050000'],
    [1, 'Step099999'],
    [0, 'Step000000'],
  ] as const) {
    await tree.evaluate((node, part) => {
      node.scrollTop = part * node.scrollHeight;
    }, place);
    await page.locator(`[data-key="${key}"]`).waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000);
  }
  await page.getByLabel('Filter steps').fill('step0777');
  await page.waitForFunction(() => {
    const keys = [...document.querySelectorAll('[role=treeitem]')].map(
      (node) => node.getAttribute('data-key') ?? '',
    );
    return keys.length > 0 && keys.every((key) => key.startsWith('Step0777'));
  });
  await page.getByLabel('Filter steps').fill('failed');
  const failed = page.locator(`[data-key="Step0${FAILED}"][data-status=failed]`);
  await failed.waitFor();
  await failed.click();
  await page.locator(`.pane[aria-label="Step Step0${FAILED}"]`).waitFor();
}, 180_000);
