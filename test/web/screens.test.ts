/** What each screen is for. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { copyExample, playExample } from '../rig/example.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { commandTask } from '../session/rig.ts';
import { ASKS, axeFindings, runAddress, screenAddress } from './site.ts';

const INPUTS =
  'name: greet\ninputs:\n  who: { description: Who is greeted. }\n  loud: { type: boolean, default: false }\nsteps:\n  - { name: Say, command: [echo, "hello ${context.who}"] }\n';
const NIGHTLY =
  'name: nightly\nschedule:\n  - { cron: "0 3 * * *", timezone: Europe/Berlin }\nsteps:\n  - { name: A, command: [echo, a] }\n';

it('a workflow is started with a form made from its inputs', async () => {
  const workspace = new Workspace({ 'greet.yaml': INPUTS });
  const server = await servePage(workspace);
  const page = await openTab(await person(), server.url);
  await page.getByText('No runs yet.').waitFor();
  await page.keyboard.press('n');
  await page.getByRole('button', { name: /^greet/ }).click();
  await page.getByLabel('who').fill('the world');
  await page.getByLabel('loud').selectOption('true');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('.head').getByText('Completed').waitFor();
  await page.locator('[data-key="Say"]').click();
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.locator('pre.log', { hasText: 'hello the world' }).waitFor();
});

it('the tab counts what waits, and a notification comes only to those who asked for it', async () => {
  const workspace = new Workspace({
    'ask.yaml': ASKS,
    'other.yaml': ASKS.replace('name: ask', 'name: other'),
  });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const server = await servePage(workspace);
  const context = await person({ permissions: ['notifications'] });
  await context.addInitScript(() => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    class Recorded {
      static permission = 'granted';
      static requestPermission = async () => 'granted';
      onclick: unknown;
      constructor(title: string, { body }: { body: string }) {
        shown.push(`${title}: ${body}`);
      }
      close() {}
    }
    Object.assign(window, { Notification: Recorded });
  });
  const page = await openTab(context, server.url);
  const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  await page.waitForFunction(() => document.title.startsWith('(1) '));
  await workspace.run(['run', 'other.yaml', '--quiet']);
  await page.waitForFunction(() => document.title.startsWith('(2) '));
  expect(await shown()).toEqual([]);
  await page.getByRole('button', { name: 'Notify me' }).click();
  await page.getByText('Notifications are on').waitFor();
  await workspace.run(['run', 'other.yaml', '--quiet']);
  await page.waitForFunction(() => (window as unknown as { shown: string[] }).shown.length > 0);
  expect(await shown()).toEqual(['other asks you: Ship it?']);
});

it('the keyboard is enough', async () => {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const server = await servePage(workspace);
  const page = await openTab(await person(), server.url);
  await page.locator('.trw').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Jump to' }).waitFor();
  await page.keyboard.type('sched');
  await page.keyboard.press('Enter');
  await page.locator('h1', { hasText: 'Schedule' }).waitFor();
  for (const [keys, title] of [
    ['gl', 'Loops'],
    ['gs', 'Sessions'],
    ['gp', 'Phases'],
    ['gv', 'Conversations'],
    ['gq', 'Queues'],
    ['gc', 'Costs'],
    ['gi', 'Inbox'],
    ['gr', 'Runs'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key);
    await page.locator('h1', { hasText: title }).waitFor();
  }
  await page.keyboard.press('/');
  await page.keyboard.type('nothing like it');
  await page.getByText('No run matches.').waitFor();
});

describe('a step', () => {
  it('has its changed files with their diff', async () => {
    const example = copyExample('isolated-agents');
    await playExample(example);
    const { workspace } = example;
    const [runId = ''] = workspace.runs();
    const server = await servePage(workspace);
    const page = await openTab(
      await person({ viewport: { width: 1440, height: 1400 } }),
      runAddress(server, runId).replace('#', '?step=Work/first/First&tab=files#'),
    );
    await page.locator('.files li', { hasText: 'notes.md' }).waitFor();
    await page.locator('.diff .add').first().waitFor();
    expect(await page.locator('.diff summary').first().textContent()).toContain('notes.md');
  });

  it('has its proof, and what is missing in it', async () => {
    const example = copyExample('expect-proof');
    await playExample(example);
    const [runId = ''] = example.workspace.runs();
    const server = await servePage(example.workspace);
    const page = await openTab(
      await person(),
      runAddress(server, runId).replace('#', '?step=Plan&tab=proof#'),
    );
    await page.locator('.proof', { hasText: 'The answer fits its JSON Schema' }).waitFor();
    await page.locator('[data-key="Tests"]').click();
    await page.locator('.proof.bad', { hasText: 'no file matches test-results/*.xml' }).waitFor();
  });
});

it('the work of a task is reviewed and accepted on the page', async () => {
  const workspace = new Workspace({ 'readme.txt': 'hello\n' });
  for (const argv of [
    ['init', '--quiet'],
    [
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@example.org',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'first',
    ],
  ])
    execFileSync('git', ['-C', workspace.folder, ...argv]);
  expect(await workspace.run(['session', 'start', 'Work'])).toMatchObject({ exitCode: 0 });
  workspace.write({
    '.workflow/WFS-work/.task/IMPL-1.json': JSON.stringify(
      commandTask('IMPL-1', 'echo new line > added.txt'),
    ),
  });
  const executed = await workspace.run(['execute', '--trust', '--review', '--quiet']);
  expect(executed.exitCode, executed.stderr).toBe(3);
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'sessions/WFS-work'));
  await page.locator('.task', { hasText: 'asks you' }).click();
  await page.getByRole('tab', { name: 'Diff' }).click();
  await page.locator('.diff .add', { hasText: '+new line' }).waitFor();
  await page.getByRole('button', { name: 'accept', exact: true }).click();
  await page.getByText('1 of 1 task done').waitFor();
  await until(() => workspace.has('added.txt'));
});

it('a schedule is paused and resumed', async () => {
  const workspace = new Workspace({ 'workflows/nightly.yaml': NIGHTLY });
  const server = await servePage(workspace);
  const page = await openTab(await person(), screenAddress(server, 'schedule'));
  const row = page.locator('tr', { hasText: 'nightly' });
  await row.getByText('Europe/Berlin').waitFor();
  await page.getByText('Next starts').waitFor();
  await row.getByRole('button', { name: 'Pause' }).click();
  await row.getByText('Paused').waitFor();
  await row.getByRole('button', { name: 'Resume' }).click();
  await row.getByRole('button', { name: 'Pause' }).waitFor();
});

describe('screens with something on them', () => {
  const SCREENS = [
    'loops/task',
    'sessions/WFS-work?task=IMPL-1',
    'sessions/WFS-work?view=graph',
    'phases',
    'queues',
    'schedule',
  ];

  async function filled(): Promise<Workspace> {
    const workspace = new Workspace({
      'workflows/nightly.yaml': NIGHTLY,
      'agent.sh': `cat > /dev/null; echo '{"complete": true, "summary": "done"}' > claude-iterate/workspaces/task/.status.json\n`,
      'task.md': 'Do it.\n',
    });
    for (const argv of [
      ['iterate', 'init', 'task'],
      ['session', 'start', 'Work'],
      ['phases', 'create', 'A task', '--phase', 'First', '--phase', 'Second'],
      ['queue', 'put', 'engineer', '--file', 'task.md'],
    ])
      expect(await workspace.run(argv), argv.join(' ')).toMatchObject({ exitCode: 0 });
    workspace.write({
      'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n',
      '.workflow/WFS-work/.task/IMPL-1.json': JSON.stringify(commandTask('IMPL-1', 'true')),
      '.workflow/WFS-work/.task/IMPL-2.json': JSON.stringify(
        commandTask('IMPL-2', 'true', { context: { depends_on: ['IMPL-1'] } }),
      ),
    });
    await workspace.run(['iterate', 'run', 'task', '--agent', 'sh agent.sh', '--no-verify', '--no-delay']);
    return workspace;
  }

  it('have no finding of axe in light and dark', async () => {
    const server = await servePage(await filled());
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openTab(await person({ colorScheme, bypassCSP: true }), server.url);
      for (const screen of SCREENS) {
        await page.goto(screenAddress(server, screen));
        await page.locator('.card').first().waitFor();
        expect(await axeFindings(page), `${screen} ${colorScheme}`).toEqual([]);
      }
    }
  });

  it('fit a phone: nothing scrolls sideways, targets have 44 pixels', async () => {
    const server = await servePage(await filled());
    const context = await person({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const page = await openTab(context, server.url);
    for (const screen of SCREENS) {
      await page.goto(screenAddress(server, screen));
      await page.locator('.card').first().waitFor();
      const { scrolls, small } = await page.evaluate(() => ({
        scrolls:
          document.documentElement.scrollWidth > innerWidth ||
          [...document.querySelectorAll('main')].some((main) => main.scrollWidth > main.clientWidth),
        small: [...document.querySelectorAll('button, .btn, .tabbar a')]
          .filter((node) => node.getClientRects().length > 0)
          .filter((node) => node.getBoundingClientRect().height < 44)
          .map((node) => node.textContent),
      }));
      expect({ screen, scrolls, small }).toEqual({ screen, scrolls: false, small: [] });
    }
    await page.getByRole('button', { name: 'More' }).tap();
    await page.getByRole('dialog', { name: 'Jump to' }).waitFor();
  });
});

it('a tab that is opened beside another one counts what waits too', async () => {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const server = await servePage(workspace);
  const context = await person();
  const counts = (page: Awaited<ReturnType<typeof openTab>>) =>
    page.waitForFunction(() => document.title.startsWith('(1) '));
  await counts(await openTab(context, server.url));
  // The stream of the first tab has nothing new to say.
  await counts(await openTab(context, server.url));
});

describe('a long question with long choices', () => {
  const LONG = `name: long\nsteps:\n  - name: Release\n    approve: { message: "${'Ship it to every customer? '.repeat(30)}", choices: [ship, hold, ask the team again tomorrow, leave it to whoever is on duty at the weekend, ${'x'.repeat(90)}] }\n`;

  for (const width of [1440, 1000, 390])
    it(`has all of them on its cards and on the screen of its run, ${width} pixels wide`, async () => {
      const workspace = new Workspace({ 'long.yaml': LONG });
      for (let count = 0; count < 3; count += 1) await workspace.run(['run', 'long.yaml', '--quiet']);
      const server = await servePage(workspace);
      const page = await openTab(await person({ viewport: { width, height: 900 } }), server.url);
      for (const screen of ['runs', 'inbox']) {
        await page.goto(screenAddress(server, screen));
        await page.getByRole('button', { name: 'leave it to whoever' }).nth(2).waitFor();
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll('.askc')].flatMap((card) => {
            const edge = card.getBoundingClientRect();
            return [...card.querySelectorAll('.btn')]
              .filter((node) => {
                const { left, right, bottom } = node.getBoundingClientRect();
                const isOutside = left < edge.left || right > edge.right || bottom > edge.bottom;
                return isOutside || node.scrollWidth > node.clientWidth;
              })
              .map((node) => node.textContent);
          }),
        );
        expect({ screen, cut }).toEqual({ screen, cut: [] });
      }
      await page.goto(screenAddress(server, `runs/${workspace.runs()[0]}`));
      const band = page.locator('.ask-band');
      await band.getByRole('button', { name: 'xxx' }).waitFor();
      expect(
        await band.evaluate(
          (node) =>
            [node, ...node.querySelectorAll('.btn')].filter(
              ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
            ).length,
        ),
      ).toBe(0);
      expect((await band.locator('.q').boundingBox())?.width).toBeGreaterThan(250);
    });
});

it('long names and many runs leave every button where it can be reached', async () => {
  const step = 'ReleaseEverythingToEveryCustomerInEveryRegionOfTheWorldAgain';
  const workspace = new Workspace({
    'long.yaml': `name: release-everything-to-every-customer-in-every-region-of-the-w\nsteps:\n  - { name: ${step}, command: ["false"] }\n`,
  });
  await workspace.run(['run', 'long.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  for (let count = 100; count < 250; count += 1)
    fs.cpSync(
      workspace.runFolder(runId),
      path.join(workspace.runFolder(runId), '..', `20260101T000000Z-aaa${count}`),
      {
        recursive: true,
      },
    );
  const server = await servePage(workspace);
  for (const width of [1440, 390]) {
    const page = await openTab(await person({ viewport: { width, height: 900 } }), server.url);
    await page.goto(screenAddress(server, `runs/${runId}`));
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll('main .btn')]
        .filter((node) => node.getBoundingClientRect().right > innerWidth)
        .map((node) => node.textContent),
    );
    expect({ width, outside }).toEqual({ width, outside: [] });
    await page.goto(screenAddress(server, 'runs'));
    const more = page.getByRole('button', { name: 'Show more of' });
    await more.waitFor();
    const last = await page.locator('.trw').last().boundingBox();
    const below = await more.boundingBox();
    expect(below?.y ?? 0).toBeGreaterThanOrEqual((last?.y ?? 0) + (last?.height ?? 0));
  }
});
