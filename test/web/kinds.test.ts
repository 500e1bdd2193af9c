/** Every kind of run that is started in a shell appears, continues and ends on the page without a reload. */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ask, text } from '../converse/rig.ts';
import { openTab, person } from '../rig/browser.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { commandTask } from '../session/rig.ts';
import { screenAddress } from './site.ts';

/** Waits for the file `up` in the workspace. */
const hold = (folder: string): string => `until [ -e '${folder}/up' ]; do sleep 0.02; done`;

interface Kind {
  readonly name: string;
  readonly title: string;
  /** Creates what it needs; returns the command. */
  prepare(workspace: Workspace): Promise<readonly string[]>;
  /** The row that runs until `up`, and one that is there only afterwards. */
  readonly step: string;
  readonly later?: string;
  /** Its own screen, after the end. */
  seen(page: Page): Promise<void>;
}

async function ok(workspace: Workspace, argv: readonly string[]): Promise<void> {
  const ended = await workspace.run(argv);
  expect(ended.exitCode, `${argv.join(' ')}\n${ended.stderr}`).toBe(0);
}

const KINDS: readonly Kind[] = [
  {
    ...{ name: 'workflow', title: 'work', step: 'Hold', later: 'After' },
    prepare: async (workspace) => {
      workspace.write({
        'work.yaml': `name: work\nsteps:\n  - { name: Hold, command: [bash, -c, "${hold('.')}"] }\n  - { name: After, command: [echo, done] }\n`,
      });
      return ['run', 'work.yaml', '--quiet'];
    },
    seen: async (page) => {
      await page.locator('.trw', { hasText: 'work' }).getByText('Completed').waitFor();
    },
  },
  {
    ...{ name: 'loop', title: 'task', step: 'iteration/1', later: 'iteration/2' },
    prepare: async (workspace) => {
      await ok(workspace, ['iterate', 'init', 'task']);
      const status = 'claude-iterate/workspaces/task/.status.json';
      workspace.write({
        'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n',
        'loop.sh': `cat > /dev/null\n${hold('.')}\nif [ -e once ]; then echo '{"complete": true, "summary": "all done"}' > ${status}; else touch once; echo '{"complete": false, "summary": "half done"}' > ${status}; fi\n`,
      });
      const agent = `sh '${path.join(workspace.folder, 'loop.sh')}'`;
      return ['iterate', 'run', 'task', '--agent', agent, '--no-verify', '--no-delay'];
    },
    seen: async (page) => {
      await page.getByRole('link', { name: 'Loops' }).first().click();
      await page.locator('.item', { hasText: 'task' }).getByText('Completed').waitFor();
      await page.getByRole('link', { name: 'task', exact: true }).click();
      await page.getByRole('button', { name: /^Iteration 2:/ }).waitFor();
      await page.getByRole('button', { name: /^Iteration 1:/ }).click();
      await page.locator('.item', { hasText: 'half done' }).waitFor();
    },
  },
  {
    ...{ name: 'session', title: 'Work', step: 'IMPL-1/implementation/1' },
    prepare: async (workspace) => {
      await ok(workspace, ['session', 'start', 'Work']);
      for (const [id, more] of [
        ['IMPL-1', {}],
        ['IMPL-2', { context: { depends_on: ['IMPL-1'] } }],
      ] as const)
        workspace.write({
          [`.workflow/WFS-work/.task/${id}.json`]: JSON.stringify(
            commandTask(id, hold(workspace.folder), more),
          ),
        });
      return ['execute', '--trust', '--quiet'];
    },
    seen: async (page) => {
      await page.getByRole('link', { name: 'Sessions' }).first().click();
      await page.getByText('2 of 2 tasks done').waitFor();
      await page.getByRole('link', { name: 'Work', exact: true }).click();
      await page.getByRole('button', { name: 'Dependencies' }).click();
      await page.getByRole('button', { name: /^IMPL-2 .*completed/ }).click();
      await page.getByRole('tab', { name: 'Document' }).waitFor();
    },
  },
  {
    ...{ name: 'conversation', title: 'Do it', step: '1/t1/run', later: 'iteration/2' },
    prepare: async (workspace) => {
      workspace.write({
        'talk/config/workflow.yaml': stringify({
          ...{ task: 'Do it', max_iterations: 3 },
          agent: {
            name: 'mock',
            script: {
              cases: [
                { prompt: 'This is iteration 1 of', structured: { content: [ask('t1', 'wait', {})] } },
                { prompt: 'This is iteration 2 of', structured: { content: [text('All is well.')] } },
              ],
            },
          },
        }),
        'talk/config/tools.yaml': stringify({
          tools: [{ name: 'wait', command: ['bash', '-c', hold(workspace.folder)] }],
        }),
      });
      return ['converse', 'run', 'talk', '--trust', '--quiet'];
    },
    seen: async (page) => {
      await page.getByRole('link', { name: 'Conversations' }).first().click();
      await page.getByRole('link', { name: 'Do it' }).click();
      await page.locator('.said.assistant', { hasText: 'All is well.' }).waitFor();
    },
  },
  {
    ...{ name: 'phases', title: 'A task', step: 'phase_0', later: 'phase_1' },
    prepare: async (workspace) => {
      workspace.write({
        'phase.sh': `cat > /dev/null\n${hold('.')}\necho '{"status": "completed", "deliverables": ["a file"], "context_for_next": "it is there", "error": ""}'\n`,
      });
      await ok(workspace, ['phases', 'create', 'A task', '--phase', 'First', '--phase', 'Second']);
      return ['phases', 'run', '--agent', `sh '${path.join(workspace.folder, 'phase.sh')}'`, '--quiet'];
    },
    seen: async (page) => {
      await page.getByRole('link', { name: 'Phases' }).first().click();
      await page.getByText('2 of 2 phases done').waitFor();
      await page.getByText('it is there').first().waitFor();
    },
  },
];

describe('a run of the shell', () => {
  it.each(KINDS)('of the kind $name appears, continues and ends on the page', async (kind) => {
    const workspace = new Workspace();
    const command = await kind.prepare(workspace);
    const server = await servePage(workspace);
    const page = await openTab(await person(), screenAddress(server, 'runs'));
    await page.getByText('No runs yet.').waitFor();
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    const run = workspace.start(command);
    const row = page.locator('.trw', { hasText: kind.title });
    await row.getByText('Running').waitFor();
    await row.getByRole('link').first().click();
    await page.locator('.head').getByText('Running').waitFor();
    await page.locator(`[data-key="${kind.step}"][data-status=running]`).waitFor();
    if (kind.later !== undefined) expect(await page.locator(`[data-key="${kind.later}"]`).count()).toBe(0);
    workspace.write({ up: '' });
    await page.locator('.head').getByText('Completed').waitFor();
    await page.locator(`[data-key="${kind.step}"][data-status=completed]`).waitFor();
    if (kind.later !== undefined)
      await page.locator(`[data-key="${kind.later}"][data-status=completed]`).waitFor();
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    await page.getByRole('link', { name: 'Runs' }).first().click();
    await page.locator('.trw', { hasText: kind.title }).getByText('Completed').waitFor();
    await kind.seen(page);
    expect(await page.evaluate(() => Object.hasOwn(window, 'sameDocument'))).toBe(true);
  });
});
