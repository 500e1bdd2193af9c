/** What the page says about runs and loops that failed, were cancelled or cannot be read. */
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { screenAddress } from './site.ts';

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
