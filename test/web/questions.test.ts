/** Questions on the page: several at once, and those without choices. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { runAddress, screenAddress } from './site.ts';

const TWO = `name: two
steps:
  - name: Both
    parallel:
      branches:
        - { name: a, steps: [{ name: First, approve: { message: "Ship it?", choices: [ship, hold] } }] }
        - { name: b, steps: [{ name: Second, approve: { message: "Delete it?", choices: [delete, keep] } }] }
`;

it('the comment of an answer is kept with that answer alone, and a card says that there are more questions', async () => {
  const workspace = new Workspace({ 'two.yaml': TWO });
  await workspace.run(['run', 'two.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'runs'));
  const card = page.getByRole('region', { name: 'Question of two' });
  await card.getByText('0 steps done. 1 more question.').waitFor();
  await page.goto(runAddress(server, runId));
  const first = page.getByRole('region', { name: 'Question Both/a/First' });
  const second = page.getByRole('region', { name: 'Question Both/b/Second' });
  await first.getByLabel('Comment').fill('after the freeze');
  expect(await second.getByLabel('Comment').inputValue()).toBe('');
  await first.getByRole('button', { name: 'ship' }).click();
  await first.waitFor({ state: 'detached' });
  await second.getByRole('button', { name: 'keep' }).click();
  await until(() => workspace.state(runId).status === 'completed');
  const folder = path.join(workspace.runFolder(), 'answers');
  const answers = fs
    .readdirSync(folder)
    .map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')));
  expect(Object.fromEntries(answers.map(({ key, choice, comment }) => [key, [choice, comment]]))).toEqual({
    'Both/a/First': ['ship', 'after the freeze'],
    'Both/b/Second': ['keep', undefined],
  });
});

it('a loop that waits for an answer says so, and a question without choices is answered with any text', async () => {
  const status = 'claude-iterate/workspaces/task/.status.json';
  const workspace = new Workspace({
    'loop.sh': `if grep -q 'Answer: Ann, in room 4'; then echo '{"complete": true, "summary": "all done"}' > ${status}; else echo '{"complete": false, "summary": "half done", "blockers": [{"question": "Whom to ask?"}]}' > ${status}; fi\n`,
  });
  await workspace.run(['iterate', 'init', 'task']);
  workspace.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n' });
  const agent = `sh '${path.join(workspace.folder, 'loop.sh')}'`;
  await workspace.run(['iterate', 'run', 'task', '--agent', agent, '--no-verify', '--no-delay']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'loops'));
  const loop = page.getByRole('region', { name: 'task' });
  await loop.getByText('Waiting', { exact: true }).waitFor();
  await loop.getByText('Whom to ask?').waitFor();
  await loop.getByRole('link', { name: 'Answer' }).click();
  await page.getByRole('button', { name: /^Iteration 1:/ }).waitFor();
  const question = page.getByRole('region', { name: 'Question iteration/1/question-1' });
  await question.getByText('Whom to ask?').waitFor();
  await page.goto(screenAddress(server, 'inbox'));
  const item = page.getByRole('region', { name: 'Question of task' });
  expect(await item.getByRole('button', { name: 'Answer' }).isDisabled()).toBe(true);
  await item.getByRole('textbox').fill('Ann, in room 4');
  await item.getByRole('button', { name: 'Answer' }).click();
  await item.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Loops' }).first().click();
  await loop.getByText('Completed', { exact: true }).waitFor();
});

it('long choices fit their buttons on a phone, in the list as on the screen of the run', async () => {
  const long = 'sqlite with the write-ahead log on a network file system that is not recommended';
  const workspace = new Workspace({
    'ask.yaml': `name: ask\nsteps:\n  - { name: Choose, approve: { message: "Which database?", choices: [postgres, "${long}", none] } }\n`,
  });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person({ viewport: { width: 390, height: 844 } }), server.url);
  for (const address of [screenAddress(server, 'runs'), runAddress(server, workspace.runs()[0] ?? '')]) {
    await page.goto(address);
    const button = page.getByRole('button', { name: long });
    await button.waitFor();
    const { isCut, width } = await button.evaluate((node) => ({
      isCut: node.scrollHeight > node.clientHeight || node.scrollWidth > node.clientWidth,
      width: node.clientWidth,
    }));
    expect(isCut).toBe(false);
    expect(width).toBeGreaterThan(300);
  }
});
