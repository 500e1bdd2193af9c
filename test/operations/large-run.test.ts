/** What is done to a run with a large journal lets others be answered meanwhile. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { answerAnyQuestion } from '../../src/operations/runs/change-on-workers.ts';
import { prepareDueNotices } from '../../src/operations/runs/due-notices.ts';
import type { Site } from '../../src/operations/site.ts';
import { cancelAnyRun } from '../../src/operations/workflows/cancel-any-run.ts';
import { repeatSteps, TWO_STEPS } from '../rig/large-run.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { temporarySite } from './site.ts';

const ASKS = `${TWO_STEPS}  - { name: Release, approve: { message: "Ship it?", choices: [ship] } }\n`;

async function largeRun(yaml: string): Promise<{ readonly site: Site; readonly run: string }> {
  const workspace = new Workspace({ 'two.yaml': yaml });
  await workspace.run(['run', 'two.yaml', '--quiet']);
  repeatSteps(workspace.runFolder(), { steps: 12_000, failed: 7 });
  const site = { ...temporarySite(), workspace: fs.realpathSync(workspace.folder) };
  return { site, run: path.basename(workspace.runFolder()) };
}

/** How often others had their turn. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await work;
  clearInterval(timer);
  return turns;
}

it('its question is answered in slices', async () => {
  const { site, run } = await largeRun(ASKS);
  const answering = answerAnyQuestion(site, { run, question: 'Release', choice: 'ship' });
  expect(await turnsDuring(answering)).toBeGreaterThan(3);
  expect(await answering).toMatchObject({ type: 'ok', value: { key: 'Release', choice: 'ship' } });
  const again = await answerAnyQuestion(site, { run, question: 'Release', choice: 'ship' });
  expect(again).toMatchObject({ type: 'error', error: { type: 'already-answered' } });
});

it('whether it can be cancelled, and whom it notifies, is read in slices', async () => {
  const { site, run } = await largeRun(TWO_STEPS);
  const cancelling = cancelAnyRun(site, run);
  expect(await turnsDuring(cancelling)).toBeGreaterThan(3);
  expect(await cancelling).toMatchObject({
    value: { cancelled: { type: 'already-ended', status: 'completed' } },
  });
  const preparing = prepareDueNotices(site, run);
  expect(await turnsDuring(preparing)).toBeGreaterThan(3);
  expect(await preparing).toMatchObject({ type: 'ok', value: { plan: { begin: { type: 'notify' } } } });
});
