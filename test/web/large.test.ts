/** A run of a hundred thousand steps. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { JournalEvent } from '../../src/model/event.ts';
import { encodeRecord, HEADER } from '../../src/store/journal-format.ts';
import { openTab, person } from '../rig/browser.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { runAddress } from './site.ts';

const STEPS = 100_000;
const FAILED = 77_777;

/** Repeats the first step of a real run, with its second one, which failed, among them. */
function repeatStep(journal: string): void {
  const events: (JournalEvent & { readonly key?: string })[] = fs
    .readFileSync(journal, 'utf8')
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line));
  const of = (key: string) => events.filter((event) => event.key === key);
  const [good, bad] = [of('Good'), of('Bad')];
  const lines = [HEADER.toString('utf8')];
  let seq = 0;
  const add = (event: object): void => {
    const { seq: _seq, synced: _synced, crc: _crc, ...plain } = event as { [field: string]: unknown };
    seq += 1;
    lines.push(encodeRecord(plain as unknown as JournalEvent, seq, seq - 1));
  };
  const first = events.findIndex(({ key }) => key === 'Good');
  const last = events.findLastIndex(({ key }) => key === 'Bad');
  for (const event of events.slice(0, first)) add(event);
  for (let step = 0; step < STEPS; step += 1) {
    const key = `Step${String(step).padStart(6, '0')}`;
    for (const event of step === FAILED ? bad : good) add({ ...event, key });
  }
  for (const event of events.slice(last + 1)) add(event);
  fs.writeFileSync(journal, lines.join(''));
}

it('opens, scrolls, filters and stays small', async () => {
  const workspace = new Workspace({
    'two.yaml':
      'name: two\nsteps:\n  - { name: Good, command: [echo, a] }\n  - { name: Bad, command: [bash, -c, "exit 1"], allow_failure: true }\n',
  });
  await workspace.run(['run', 'two.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  repeatStep(path.join(workspace.runFolder(), 'journal.jsonl'));
  fs.rmSync(path.join(workspace.runFolder(), 'state.json'));
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
