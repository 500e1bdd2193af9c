/** What is found on the page, and what it says where there is nothing. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/model/crc32.ts';
import { openTab, person } from '../rig/browser.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { commandTask } from '../session/rig.ts';
import { ASKS, axeFindings, screenAddress } from './site.ts';

const DAY_MS = 86_400_000;

/** The journal of a run as if it had been started this many days earlier. */
function age(workspace: Workspace, runId: string, days: number): void {
  const file = path.join(workspace.folder, '.orchestrate/runs', runId, 'journal.jsonl');
  const [header = '', ...records] = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  const aged = records.map((line) => {
    const body = line
      .slice(0, line.lastIndexOf(',"crc":"'))
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (at) =>
        JSON.stringify(new Date(Date.parse(at.slice(1, -1)) - days * DAY_MS)),
      );
    return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}`;
  });
  fs.writeFileSync(file, `${[header, ...aged].join('\n')}\n`);
  // The view is of the journal as it was.
  fs.rmSync(path.join(path.dirname(file), 'state.json'));
}

function dayText(daysAgo: number): string {
  const at = new Date(Date.now() - daysAgo * DAY_MS);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

it('runs are found by the day on which they were started; the address keeps it', async () => {
  const named = (name: string) => `name: ${name}\nsteps:\n  - { name: Say, command: [echo, hello] }\n`;
  const workspace = new Workspace({ 'old.yaml': named('old'), 'new.yaml': named('new') });
  await workspace.run(['run', 'old.yaml', '--quiet']);
  const [old = ''] = workspace.runs();
  age(workspace, old, 10);
  await workspace.run(['run', 'new.yaml', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'runs'));
  const titles = page.locator('.trw .ti a');
  const shows = (names: readonly string[]) =>
    expect.poll(() => titles.allTextContents(), { timeout: 10_000 }).toEqual(names);
  await shows(['new', 'old']);
  const started = page.getByLabel('Started');
  await started.selectOption('Today');
  await shows(['new']);
  await started.selectOption('Last 30 days');
  await shows(['new', 'old']);
  await started.selectOption('Between…');
  await shows(['new']);
  await page.getByLabel('Last day').fill(dayText(9));
  await page.getByLabel('First day').fill(dayText(11));
  await shows(['old']);
  await page.reload();
  await shows(['old']);
  await page.getByLabel('First day').fill(dayText(3));
  await page.getByLabel('Last day').fill(dayText(2));
  await page.getByText('No run matches.').waitFor();
  await page.getByText('orchestrate runs --limit 0').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await shows(['new', 'old']);
});

it('a question is on its card however many runs came later, and whatever is filtered', async () => {
  const workspace = new Workspace({
    'ask.yaml': ASKS,
    'say.yaml': 'name: say\nsteps:\n  - { name: Say, command: [echo, hello] }\n',
  });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  await workspace.run(['run', 'say.yaml', '--quiet']);
  const runs = path.join(workspace.folder, '.orchestrate/runs');
  const later = workspace.runs().at(-1) ?? '';
  for (let count = 0; count < 60; count += 1)
    fs.cpSync(path.join(runs, later), path.join(runs, `29990101T000000Z-${String(count).padStart(6, '0')}`), {
      recursive: true,
    });
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'runs'));
  await page.getByRole('region', { name: 'Question of ask' }).waitFor();
  await page.goto(screenAddress(server, 'runs?status=completed'));
  await page.getByRole('region', { name: 'Question of ask' }).getByRole('button', { name: 'ship' }).click();
  // Other runs with the same question are not there, and this one continues.
  await page.getByRole('region', { name: 'Question of ask' }).waitFor({ state: 'detached' });
});

describe('the inbox', () => {
  const BUDGET = `name: dear
budget: { usd: 0.05 }
providers:
  mock: { adapter: mock, script: { answer: done, cost_usd: 0.04 } }
steps:
  - { name: One, provider: mock, prompt: one }
  - { name: Two, provider: mock, prompt: two }
  - { name: Three, provider: mock, prompt: three }
`;

  it('names the limit to raise, and resumes the run with the new one', async () => {
    const workspace = new Workspace({ 'dear.yaml': BUDGET });
    expect(await workspace.run(['run', 'dear.yaml', '--quiet'])).toMatchObject({ exitCode: 1 });
    const [runId = ''] = workspace.runs();
    const server = await servePage(workspace);
    expect((await server.get('inbox')).body.items).toMatchObject([
      { type: 'limit', run_id: runId, limits: ['`budget`'] },
    ]);
    const page = await openTab(await person(), screenAddress(server, 'inbox'));
    const item = page.getByRole('region', { name: 'dear' });
    await item.getByText('Raise `budget` in dear.yaml, then resume.').waitFor();
    workspace.write({ 'dear.yaml': BUDGET.replace('0.05', '1') });
    await item.getByRole('button', { name: 'Resume with the new limit' }).click();
    await item.waitFor({ state: 'detached' });
    await page.getByText('Nothing waits for you.').waitFor();
    await page.getByText('orchestrate demo').waitFor();
    await until(() => workspace.state(runId).status === 'completed');
  });

  it('counts a task that is blocked in a shell at once, although no run has changed', async () => {
    const workspace = new Workspace();
    await workspace.run(['session', 'start', 'Work']);
    workspace.write({
      '.workflow/WFS-work/.task/IMPL-1.json': JSON.stringify(commandTask('IMPL-1', 'true')),
    });
    const server = await servePage(workspace);
    const page = await openTab(await person(), screenAddress(server, 'inbox'));
    await page.getByText('Nothing waits for you.').waitFor();
    const update = (status: string) => workspace.run(['task', 'update', 'IMPL-1', '--status', status]);
    expect(await update('blocked')).toMatchObject({ exitCode: 0 });
    await page.waitForFunction(() => document.title.startsWith('(1) '));
    await page.getByRole('region', { name: 'WFS-work · IMPL-1' }).waitFor();
    expect(await update('pending')).toMatchObject({ exitCode: 0 });
    await page.getByText('Nothing waits for you.').waitFor();
    await page.waitForFunction(() => !document.title.startsWith('('));
  });

  it('names a loop that reached its maximum once, and a failed run of phases once', async () => {
    const workspace = new Workspace({
      'loop.sh': `cat > /dev/null; echo '{"complete": false, "summary": "half done"}' > claude-iterate/workspaces/task/.status.json; echo x >> work\n`,
      'phase.sh': `cat > /dev/null; echo '{"status": "failed", "deliverables": [], "context_for_next": "", "error": "no compiler here"}'\n`,
    });
    await workspace.run(['iterate', 'init', 'task']);
    workspace.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n' });
    const agent = (name: string) => ['--agent', `sh ${path.join(workspace.folder, name)}`];
    const limits = ['--no-verify', '--no-delay', '--max-iterations', '2'];
    await workspace.run(['iterate', 'run', 'task', ...agent('loop.sh'), ...limits]);
    await workspace.run(['phases', 'create', 'A task', '--phase', 'First']);
    await workspace.run(['phases', 'run', ...agent('phase.sh'), '--quiet']);
    const server = await servePage(workspace);
    const { items } = (await server.get('inbox')).body;
    expect(items).toMatchObject([
      { type: 'failed', kind: 'phases', message: expect.stringContaining('no compiler here') },
      { type: 'loop', name: 'task', message: 'reached its maximum of 2 iterations' },
    ]);
    const page = await openTab(await person(), screenAddress(server, 'inbox'));
    const stopped = page.getByRole('region', { name: 'task', exact: true });
    await stopped.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('button', { name: /^Iteration 2:/ }).waitFor();
    // It is not running: it can be run again.
    await page.getByRole('link', { name: 'Loops' }).first().click();
    const loop = page.getByRole('region', { name: 'task' });
    await loop.getByText('Stopped', { exact: true }).waitFor();
    await loop.getByRole('button', { name: 'Run' }).waitFor();
    // The call of the agent succeeded, but not its work.
    await page.goto(screenAddress(server, `runs/${items[0].run_id}`));
    await page.locator('[data-key="phase_0"][data-status=failed]').waitFor();
  });
});

it('costs are crossed: each workflow by day, or by agent; unknown ones stay apart', async () => {
  const workflow = (name: string, known: string) => `name: ${name}
providers:
  known: { adapter: mock, script: { answer: done, cost_usd: ${known} } }
  silent: { adapter: mock, script: { answer: done, cost_usd: null } }
steps:
  - { name: One, provider: known, prompt: one }
${name === 'b' ? '  - { name: Two, provider: silent, prompt: two }\n' : ''}`;
  const workspace = new Workspace({ 'a.yaml': workflow('a', '0.25'), 'b.yaml': workflow('b', '0.5') });
  for (const name of ['a', 'b'])
    expect(await workspace.run(['run', `${name}.yaml`, '--quiet'])).toMatchObject({ exitCode: 0 });
  age(workspace, workspace.runs()[0] ?? '', 2);
  const server = await servePage(workspace);
  const address = screenAddress(server, 'costs?rows=workflow&columns=day');
  const page = await openTab(await person({ bypassCSP: true }), address);
  const crossed = page.getByRole('region', { name: 'Costs crossed' });
  const cells = async () =>
    (await crossed.locator('tr').allInnerTexts()).map((row) => row.split('\t').map((cell) => cell.trim()));
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  await crossed.waitFor();
  await expect.poll(cells).toEqual([
    ['Workflow', day(2), day(0), 'Total'],
    ['b', '–', '$0.5000 + 1 call of unknown cost', '$0.5000 + 1 call of unknown cost'],
    ['a', '$0.2500', '–', '$0.2500'],
    ['Total', '$0.2500', '$0.5000 + 1 call of unknown cost', '$0.7500 + 1 call of unknown cost'],
  ]);
  await crossed.getByLabel('Columns').selectOption('Agent');
  await expect.poll(cells).toMatchObject([
    ['Workflow', 'mock', 'Total'],
    ['b', '$0.5000 + 1 call of unknown cost', '$0.5000 + 1 call of unknown cost'],
    ['a', '$0.2500', '$0.2500'],
    ['Total', '$0.7500 + 1 call of unknown cost', '$0.7500 + 1 call of unknown cost'],
  ]);
  expect(page.url()).toContain('columns=agent');
  expect(await axeFindings(page)).toEqual([]);
});

it('the dearest steps are those of all runs, also of one that cost less than others in total', async () => {
  const workflow = (name: string, cost: number, steps: readonly string[]) =>
    `name: ${name}
providers:
  mock: { adapter: mock, script: { answer: done, cost_usd: ${cost} } }
steps:
${steps.map((step) => `  - { name: ${step}, provider: mock, prompt: x }\n`).join('')}`;
  const workspace = new Workspace({
    'many.yaml': workflow('many', 0.1, ['One', 'Two', 'Three']),
    'dear.yaml': workflow('dear', 0.25, ['Dear']),
  });
  await workspace.run(['run', 'many.yaml', '--quiet']);
  const runs = path.join(workspace.folder, '.orchestrate/runs');
  const [many = ''] = workspace.runs();
  for (const copy of ['a', 'b', 'c', 'd', 'e'])
    fs.cpSync(path.join(runs, many), path.join(runs, `${many.slice(0, -6)}aaaaa${copy}`), {
      recursive: true,
    });
  await workspace.run(['run', 'dear.yaml', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'costs'));
  const steps = page.getByRole('region', { name: 'Dearest steps' }).locator('tbody tr');
  await expect.poll(() => steps.count()).toBe(10);
  const [step, run, , cost] = await steps.first().locator('td').allTextContents();
  expect([step, run, cost]).toEqual(['Dear mock', 'dear', '$0.2500']);
});
