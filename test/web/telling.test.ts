/** What the page says about runs and loops that failed, were cancelled or cannot be read. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { commandTask } from '../session/rig.ts';
import { runAddress, SLOW, screenAddress } from './site.ts';

it('the steps of a run include those that were cancelled, and a failure that was allowed says so first', async () => {
  const workspace = new Workspace({
    'race.yaml': `name: race
steps:
  - { name: Lint, command: [bash, -c, "exit 4"], allow_failure: true }
  - name: Fetch
    parallel:
      join: any
      branches:
        - { name: near, steps: [{ name: Near, command: [bash, -c, "until [ -e up ]; do sleep 0.01; done"] }] }
        - { name: far, steps: [{ name: Far, command: [bash, -c, "touch up; sleep 1000"] }] }
`,
  });
  await workspace.run(['run', 'race.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const shown = (await workspace.run(['show', runId])).stdout;
  expect(shown).toContain('3 steps: 1 done, 1 failed, 1 cancelled');
  const server = await servePage(workspace);
  const page = await openTab(await person(), runAddress(server, runId));
  await page.locator('.facts', { hasText: '3 steps: 1 done, 1 failed, 1 cancelled' }).waitFor();
  const lint = page.locator('[data-key=Lint] .x');
  await expect.poll(() => lint.textContent()).toBe('failure allowed · the command ended with exit code 4');
});

it('a run is cancelled only after a confirmation, in the list as on its own screen', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'runs'));
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.message());
    if (asked.length === 1) await dialog.dismiss();
    else await dialog.accept();
  });
  const cancel = page.locator('.trw').getByRole('button', { name: 'Cancel' });
  await cancel.click();
  expect(asked).toEqual(['Cancel slow? A cancelled run cannot be resumed.']);
  expect(workspace.journal().some(({ type }) => type === 'run-ended')).toBe(false);
  await cancel.click();
  await run.ended;
  await page.locator('.trw').getByText('Cancelled').waitFor();
});

it('a failed run says what to do first, and offers no resume that would only fail again', async () => {
  const workspace = new Workspace({
    'missing.yaml':
      'name: missing\nproviders: { robot: { command: [no-such-agent], adapter: plain, input_mode: stdin } }\nsteps:\n  - { name: Review, provider: robot, prompt: x }\n',
    'gone.yaml':
      'name: gone\nsteps:\n  - name: Each\n    for_each:\n      items: [a.task]\n      as: task\n      on_item_complete: { failure: { move_to: failed } }\n      steps:\n        - { name: Do, command: ["false"] }\n',
    'a.task': 'x',
  });
  const said = async (file: string) => (await workspace.run(['run', file, '--quiet'])).stderr;
  expect(await said('missing.yaml')).toContain('install `no-such-agent`, then ');
  expect(await said('gone.yaml')).toContain('(resuming would fail in the same way)');
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'inbox'));
  const missing = page.getByRole('region', { name: 'missing' });
  await missing.getByText('Install no-such-agent, then resume.').waitFor();
  await missing.getByRole('button', { name: 'Resume' }).waitFor();
  const gone = page.getByRole('region', { name: 'gone' });
  const advice = 'Fix what failed, then start gone.yaml again: resuming would fail in the same way.';
  await gone.getByText(advice).waitFor();
  expect(await gone.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  await gone.getByRole('link').first().click();
  await page.locator('.reason', { hasText: advice }).waitFor();
  expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
});

it('a loop that failed says why', async () => {
  const workspace = new Workspace({
    'loop.sh': `cat > /dev/null; echo '{"complete": false, "summary": "half done", "abort": {"reason": "the requirements contradict each other"}}' > claude-iterate/workspaces/task/.status.json\n`,
  });
  await workspace.run(['iterate', 'init', 'task']);
  workspace.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n' });
  const agent = `sh '${path.join(workspace.folder, 'loop.sh')}'`;
  await workspace.run(['iterate', 'run', 'task', '--agent', agent, '--no-verify', '--no-delay']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'loops'));
  await page.getByText('The agent gave up.').waitFor();
  await page.getByRole('link', { name: 'task', exact: true }).click();
  await page.locator('.banner', { hasText: 'the requirements contradict each other' }).waitFor();
});

it('costs name the runs that cannot be read, and count them in no sum', async () => {
  const paid = (name: string) =>
    `name: ${name}\nproviders: { actor: { adapter: mock, script: { answer: done, cost_usd: 0.5 } }, silent: { adapter: mock, script: { answer: done, cost_usd: null } } }\nsteps:\n  - { name: One, provider: actor, prompt: x }\n  - { name: Two, provider: silent, prompt: x }\n`;
  const workspace = new Workspace({ 'a.yaml': paid('a'), 'b.yaml': paid('b') });
  await workspace.run(['run', 'a.yaml', '--quiet']);
  const [damaged = ''] = workspace.runs();
  await workspace.run(['run', 'b.yaml', '--quiet']);
  const journal = path.join(workspace.folder, '.orchestrate/runs', damaged, 'journal.jsonl');
  fs.writeFileSync(journal, fs.readFileSync(journal, 'utf8').replace('"step-started"', '"step-sTarted"'));
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'costs'));
  await page.getByText(`1 run cannot be read and is not included: ${damaged}`).waitFor();
  await page.getByText('$0.5000 + 1 call of unknown cost for 2 agent calls in 1 run').waitFor();
  // Calls of unknown cost are not silently left out beside the name of the screen.
  await page.getByRole('link', { name: 'Costs $0.5000+' }).waitFor();
});

it('the inbox names a failed task once: with the run in which it failed', async () => {
  const workspace = new Workspace();
  await workspace.run(['session', 'start', 'Work']);
  for (const id of ['IMPL-1', 'IMPL-2'])
    workspace.write({
      [`.workflow/WFS-work/.task/${id}.json`]: JSON.stringify(
        commandTask(id, id === 'IMPL-1' ? 'exit 3' : 'true'),
      ),
    });
  await workspace.run(['execute', '--trust', '--quiet']);
  await until(() => workspace.state().status === 'failed');
  const server = await servePage(workspace);
  expect((await server.get('inbox')).body.items).toMatchObject([
    { type: 'failed', kind: 'session', step: expect.stringMatching(/^IMPL-1\//) },
  ]);
});

it('the reason of a failure is seen in the list, however long the name of its step is', async () => {
  const step = 'CheckThatEveryPageOfTheDocumentationStillMatchesTheProgramThatItDescribes';
  const workspace = new Workspace({
    'long.yaml': `name: long\nsteps:\n  - { name: ${step}, command: [bash, -c, "exit 7"] }\n`,
  });
  await workspace.run(['run', 'long.yaml', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'runs'));
  const line = page.locator('.trw .su');
  await line.waitFor();
  expect(await line.textContent()).toBe(`${step}: the command ended with exit code 7`);
  const isWhole = await line.locator('.what').evaluate((node) => node.scrollWidth <= node.clientWidth);
  expect(isWhole).toBe(true);
});

it('other workspaces are found by jumping, also on a phone', async () => {
  const workspace = new Workspace();
  const other = new Workspace({
    'say.yaml': 'name: only here\nsteps:\n  - { name: Say, command: [echo, hi] }\n',
  });
  await other.run(['run', 'say.yaml', '--quiet']);
  const server = await servePage(workspace, [workspace.folder, other.folder]);
  const phone = await person({ viewport: { width: 390, height: 844 } });
  const page = await openTab(phone, screenAddress(server, 'runs'));
  await page.getByRole('button', { name: 'More' }).click();
  await page
    .getByRole('dialog')
    .getByRole('link', { name: path.basename(other.folder) })
    .click();
  await page.locator('.trw').getByText('only here').waitFor();
});

it('the address of a workspace that is not served says so, and leads to those that are', async () => {
  const workspace = new Workspace({
    'say.yaml': 'name: only here\nsteps:\n  - { name: Say, command: [echo, hi] }\n',
  });
  await workspace.run(['run', 'say.yaml', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), server.url.replace('/#', '/w/gone-12345678/runs#'));
  const alert = page.getByRole('alert');
  await alert.getByText('This server does not serve the workspace gone-12345678.').waitFor();
  expect(await page.getByText('only here').count()).toBe(0);
  await alert.getByRole('link', { name: path.basename(workspace.folder) }).click();
  await page.locator('.trw').getByText('only here').waitFor();
});
