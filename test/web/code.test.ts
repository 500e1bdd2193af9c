/** Workflows in TypeScript or JavaScript on the page: they are runs like any other. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { runAddress, screenAddress } from './site.ts';

/** A schema that describes itself, as those of zod and ArkType do. */
const SCHEMA = `const Input = { '~standard': {
  version: 1, vendor: 'test',
  validate: (value) => typeof value.base !== 'string' ? { issues: [{ message: 'must be text', path: ['base'] }] }
    : typeof value.count !== 'number' ? { issues: [{ message: 'must be a number', path: ['count'] }] } : { value },
  jsonSchema: { input: () => ({
    type: 'object', required: ['base', 'count', 'mode'],
    properties: {
      base: { type: 'string', description: 'branch to compare with' },
      count: { type: 'integer' },
      mode: { enum: ['fast', 'thorough'] },
      labels: { type: 'array', default: ['a'] },
    },
  }), output: () => ({}) },
} };
`;

const REVIEW = `import { workflow } from 'orchestrate-run';
import fs from 'node:fs';
${SCHEMA}
export default workflow({
  name: 'review',
  description: 'Reviews every file',
  agents: { helper: { adapter: 'mock' } },
  WITH
  async run(ctx, input) {
    await ctx.command('Changes', ['sh', '-c', 'echo x >> changes; until [ -e up ]; do sleep 0.02; done']);
    const notes = await ctx.each('Review', ['a.ts', 'b.ts'], async (ctx, file) => {
      const { text } = await ctx.agent('Ask', { agent: 'helper', prompt: \`Review \${file} for risks\` });
      return ctx.do('Note', () => ({ file, length: text.length }));
    }, { limit: 2 });
    await ctx.all('Both', {
      lint: (ctx) => ctx.command('Lint', ['echo', 'linted']),
      test: (ctx) => ctx.command('Test', ['echo', 'tested']),
    });
    const go = await ctx.approve('Release', { message: \`Release \${notes.length}?\`, choices: ['yes', 'no'] });
    await ctx.command('Publish', ['sh', '-c', 'echo published; echo x >> published']);
    return { go, base: input.base ?? '', count: input.count ?? 0, labels: input.labels ?? [] };
  },
});
`;
const plain = REVIEW.replace('WITH', '');
const typed = REVIEW.replace('WITH', 'input: Input,');

it('a run of code appears, continues, asks and ends on the page without a reload', async () => {
  const workspace = new Workspace({ 'review.workflow.mjs': plain });
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'runs'));
  await page.getByText('No runs yet.').waitFor();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  const run = workspace.start(['run', 'review.workflow.mjs', '--quiet']);
  const row = page.locator('.trw', { hasText: 'review' });
  await row.getByText('Running').waitFor();
  await row.getByRole('link').first().click();
  await page.locator('[data-key="Changes"][data-status=running]').waitFor();
  const flow = page.locator('svg[aria-label="Flow of the run"]');
  await flow.locator('.gn', { hasText: 'Changes' }).waitFor();
  expect(await flow.locator('.gn').count()).toBe(1);
  workspace.write({ up: '' });
  await page.locator('.head').getByText('Waiting for you').waitFor();
  expect(await run.ended).toMatchObject({ exitCode: 3 });
  for (const key of ['Review/0/Ask', 'Review/1/Note', 'Both/lint/Lint', 'Both/test/Test'])
    await page.locator(`[data-key="${key}"][data-status=completed]`).waitFor();
  // The flow has what happened, each step once and inside what contains it, and nothing planned.
  for (const name of ['Review', 'Both']) await flow.locator('.gc', { hasText: name }).waitFor();
  for (const name of ['Ask', 'Note', 'Lint', 'Test', 'Release'])
    await expect.poll(() => flow.locator('.gn', { hasText: name }).count(), { message: name }).toBe(1);
  expect(await flow.locator('.gn.plan').count()).toBe(0);
  await page.locator('[data-key="Review/1/Ask"]').click();
  await page.getByRole('tab', { name: 'Transcript' }).click();
  await page.locator('.ev', { hasText: 'Result' }).waitFor();
  await page.getByRole('tab', { name: 'Prompt' }).click();
  await page.locator('pre.log', { hasText: 'Review b.ts for risks' }).waitFor();
  await page.getByRole('button', { name: 'yes', exact: true }).click();
  await page.locator('.toast', { hasText: 'Recorded yes for Release. The run continues.' }).waitFor();
  await page.locator('.head').getByText('Completed').waitFor();
  await page.locator('[data-key="Publish"][data-status=completed]').click();
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.locator('pre.log', { hasText: 'published' }).waitFor();
  expect(workspace.read('published')).toBe('x\n');
  expect(await page.evaluate(() => Object.hasOwn(window, 'sameDocument'))).toBe(true);
});

it('a workflow in code is started with a form made from its `input` schema, and not loaded before it is chosen', async () => {
  const workspace = new Workspace({
    up: '',
    'review.workflow.mjs': typed,
    'free.workflow.mjs': plain,
    'workflows/ship.yaml': 'name: ship\nsteps:\n  - { name: Say, command: [echo, hello] }\n',
    'workflows/broken.workflow.mjs':
      "import fs from 'node:fs';\nfs.writeFileSync('loaded', '');\nexport default 7;\n",
  });
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'runs'));
  const start = async (name: string) => {
    await page.getByRole('button', { name: 'Start a workflow' }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
  };
  await page.getByRole('button', { name: 'Start a workflow' }).click();
  await page.getByRole('dialog').getByText('workflows/ship.yaml').waitFor();
  for (const file of ['review.workflow.mjs', 'free.workflow.mjs', 'workflows/broken.workflow.mjs'])
    await page.getByRole('dialog').getByText(file, { exact: true }).waitFor();
  expect(workspace.has('loaded')).toBe(false);
  await page.keyboard.press('Escape');
  // Reading, unlike choosing, runs nothing.
  const address = `${server.ws}/workflows/${encodeURIComponent('workflows/broken.workflow.mjs')}`;
  expect(await server.ask(address)).toMatchObject({ status: 400 });
  expect(workspace.has('loaded')).toBe(false);

  await start('broken');
  await page.locator('.toast.bad', { hasText: 'is not a workflow' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await start('review');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Reviews every file').waitFor();
  await dialog.getByLabel('labels (optional) as JSON').waitFor();
  expect(await dialog.getByLabel('mode').locator('option').allTextContents()).toEqual([
    'Choose',
    'fast',
    'thorough',
  ]);
  await dialog.getByLabel('base branch to compare with').fill('main');
  await dialog.getByLabel('count').fill('many');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.locator('.toast.bad', { hasText: 'count: must be a number' }).waitFor();
  expect(workspace.runs()).toEqual([]);
  await dialog.getByLabel('count').fill('3');
  await dialog.getByLabel('labels').fill('["x", "y"]');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.locator('.head').getByText('Waiting for you').waitFor();
  await page.getByRole('button', { name: 'no', exact: true }).click();
  await page.locator('.head').getByText('Completed').waitFor();
  expect(workspace.state()['output']).toEqual({ go: 'no', base: 'main', count: 3, labels: ['x', 'y'] });

  await page.getByRole('link', { name: 'Runs' }).first().click();
  await start('free');
  await dialog.getByLabel('input (optional) a JSON object').fill('{"base":');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.locator('.toast.bad', { hasText: 'The input is not a JSON object.' }).waitFor();
  await dialog.getByLabel('input (optional) a JSON object').fill('{"base": "v1"}');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.locator('.head').getByText('Waiting for you').waitFor();
  expect(workspace.runs()).toHaveLength(2);
});

it('a run of code that is killed is resumed by the keeper; one with `keep: never` is not', async () => {
  const workspace = new Workspace({
    'review.workflow.mjs': plain,
    'never.workflow.mjs': plain.replace("name: 'review'", "name: 'never', keep: 'never'"),
  });
  const killed: string[] = [];
  for (const file of ['never.workflow.mjs', 'review.workflow.mjs']) {
    const begun = killed.length + 1;
    const run = workspace.start(['run', file, '--quiet']);
    await until(() => workspace.has('changes') && workspace.read('changes').length === 2 * begun);
    run.child.kill('SIGKILL');
    await run.ended;
    killed.push(workspace.runs().find((id) => !killed.includes(id)) ?? '');
  }
  const [never = '', review = ''] = killed;
  workspace.write({ up: '' });
  const server = await servePage(workspace, [], { isKeeping: true });
  const page = await openTab(await person(), runAddress(server, review));
  await page.locator('.head').getByText('Waiting for you').waitFor();
  await page.getByRole('button', { name: 'yes', exact: true }).click();
  await page.locator('.head').getByText('Completed').waitFor();
  await until(() => workspace.state(review).status === 'completed');
  // Once after the kill, once after the answer.
  const resumptions = (id: string) =>
    workspace.journal(id).filter(({ type }) => type === 'run-resumed').length;
  expect(resumptions(review)).toBe(2);
  expect(resumptions(never)).toBe(0);
  await page.goto(runAddress(server, never));
  await page.locator('.head').getByText('Interrupted').waitFor();
});

it('a run of code sends the notifications that the workspace asks for', async () => {
  const received: string[] = [];
  const target = http.createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      received.push(JSON.parse(text).event);
      response.end();
    });
  });
  target.listen(0, '127.0.0.1');
  onTestFinished(() => void target.close());
  await until(() => target.listening);
  const { port } = target.address() as AddressInfo;
  const workspace = new Workspace({
    up: '',
    'review.workflow.mjs': plain,
    '.orchestrate/config.yaml': `notify: { url: "http://127.0.0.1:${port}/", format: json }\n`,
  });
  fs.chmodSync(path.join(workspace.folder, '.orchestrate'), 0o700);
  expect(await workspace.run(['run', 'review.workflow.mjs', '--quiet', '--trust'])).toMatchObject({
    exitCode: 3,
  });
  await workspace.run(['approve', 'last', 'Release', '--choose', 'yes']);
  expect(await workspace.run(['resume', 'last', '--quiet'])).toMatchObject({ exitCode: 0 });
  expect(received).toEqual(['waiting', 'completed']);
});

it('a run that failed says why, also if no step ended it: not a step whose failure was caught', async () => {
  const workspace = new Workspace({
    'caught.mjs': `import { workflow } from 'orchestrate-run';
export default workflow({ name: 'caught', async run(ctx) {
  try { await ctx.command('Probe', ['sh', '-c', 'echo probing >&2; exit 4']); } catch {}
  await ctx.command('Work', ['true']);
  throw new TypeError('no such thing');
} });
`,
  });
  await workspace.run(['run', 'caught.mjs', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'runs'));
  const why = 'TypeError: no such thing (caught.mjs:5:9)';
  await page.locator('.trw', { hasText: 'caught' }).getByText(why).waitFor();
  await page.goto(runAddress(server, workspace.runs()[0] ?? ''));
  await page.locator('.banner', { hasText: why }).waitFor();
});
