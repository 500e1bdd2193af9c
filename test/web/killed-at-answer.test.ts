/** The server is killed at every operation on the disk between a click and its answer: the answer counts once, or the question is still open. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { type KillOrder, killAt } from '../rig/kill-at.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { REFUSED, runAddress } from './site.ts';

const ASKS =
  'name: ask\nsteps:\n  - name: Release\n    approve: { message: "Ship it?", choices: [ship, hold] }\n  - name: Publish\n    command: [bash, -c, "echo published >> published"]\n';

async function asked(): Promise<{ workspace: Workspace; runId: string }> {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  expect(await workspace.run(['run', 'ask.yaml', '--quiet'])).toMatchObject({ exitCode: 3 });
  return { workspace, runId: workspace.runs()[0] ?? '' };
}

/** The operations of the server from a click to its answer, as orders to be killed at each of them. */
async function pointsOfAnswer(): Promise<readonly KillOrder[]> {
  const { workspace, runId } = await asked();
  const trace = path.join(temporaryFolder(), 'trace');
  const server = await servePage(workspace, [], { env: killAt({ trace }) });
  await server.get(`runs/${runId}`);
  const before = fs.readFileSync(trace, 'utf8').length;
  const done = await server.act({ command: 'approve', run: runId, step: 'Release', choice: 'ship' });
  expect(done.body).toMatchObject({ ok: true });
  const operations = fs.readFileSync(trace, 'utf8').slice(before).trimEnd().split('\n');
  const after = operations.map((line): KillOrder => {
    const { kind, number } = JSON.parse(line);
    return { when: 'after', kind, number };
  });
  // Before any other one is after the one before it.
  return [{ ...after[0], when: 'before' }, ...after];
}

it('a run continues with the answer, or asks again, wherever the server is killed', async () => {
  const points = await pointsOfAnswer();
  expect(points.length).toBeGreaterThan(6);
  const context = await person();
  const outcomes = new Set<string>();
  for (const point of points) {
    const { workspace, runId } = await asked();
    const killed = await servePage(workspace, [], { env: killAt(point) });
    const page = await openTab(context, runAddress(killed, runId), REFUSED);
    await page.getByRole('button', { name: 'ship' }).click();
    expect(await killed.started.ended, JSON.stringify(point)).toMatchObject({ signal: 'SIGKILL' });
    const isRecorded = workspace.has(`.orchestrate/runs/${runId}/answers/Release.json`);
    outcomes.add(isRecorded ? 'recorded' : 'open');
    // It is only called recorded if it is.
    if (!isRecorded) await page.locator('.toast', { hasText: 'The server does not answer.' }).waitFor();
    const server = await servePage(workspace, ['--port', String(killed.port)], { isKeeping: true });
    if (!isRecorded) await page.getByRole('button', { name: 'ship' }).click();
    await page.locator('.head').getByText('Completed').waitFor();
    await until(() => workspace.state(runId).status === 'completed');
    const answers = workspace.journal(runId).filter(({ type }) => type === 'question-answered');
    expect(answers, JSON.stringify(point)).toMatchObject([{ answer: { choice: 'ship' } }]);
    expect(workspace.read('published')).toBe('published\n');
    await page.close();
    server.started.child.kill('SIGTERM');
    await server.started.ended;
  }
  expect(outcomes).toEqual(new Set(['recorded', 'open']));
}, 300_000);
