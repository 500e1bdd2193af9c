/** A tool call of the real Claude Code is answered on the page, or with a file that the keeper finds, and runs once. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CliWorkspace } from '../real-clis/cli-workspace.ts';
import { CLAUDE_325 as cli } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { openTab, person } from '../rig/browser.ts';
import type { ModelServer } from '../rig/model-server/server.ts';
import { until } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { runAddress, screenAddress } from './site.ts';

beforeAll(installClis, 15 * 60_000);

/** More than fits on the line of the question. */
const TEXT = Array.from({ length: 120 }, (_, i) => `line ${i} <b>of the manifest</b>`).join('\n');

describe('a question about a tool call', { timeout: 180_000 }, () => {
  let site: CliWorkspace;
  let server: ModelServer;
  let calls: string;

  beforeEach(async () => {
    calls = path.join(temporaryFolder(), 'calls');
    site = new CliWorkspace([cli], {
      'w.yaml': `name: ship
steps:
  - name: Ship
    provider: claude
    prompt: Ship it.
    permissions: bypass
    ask: [{tool: Bash, command: "*push*", do: ask}, {tool: Write, path: "infra/**", do: ask}]
`,
    });
    server = await site.serve([
      cli.tools.write('infra/main.tf', TEXT),
      cli.tools.shell(`echo push >> ${calls}`),
      { type: 'text', text: 'Shipped.' },
    ]);
    const asked = await site.run(['run', 'w.yaml', '--trust'], server);
    expect(asked.exitCode, asked.stderr).toBe(3);
    await site.expectNothingLeft();
  });

  const status = (): unknown => site.workspace.state().status;

  it('is in the Inbox with the whole input of the call; its answer there resumes the run', async () => {
    const env = site.environment(server);
    const served = await servePage(site.workspace, [], { env });
    const page = await openTab(await person(), screenAddress(served, 'inbox'));
    const card = page.getByRole('region', { name: 'Question of ship' });
    await card.getByText('Allow `Write: ').waitFor();
    const shown = await card.locator('pre').textContent();
    expect(shown).toMatch(/^tool: Write\nfile_path: .*infra\/main\.tf\ncontent:\n {2}line 0 <b>/);
    expect(shown).toContain('  line 119 <b>of the manifest</b>');
    expect(site.workspace.has('infra/main.tf')).toBe(false);
    await card.getByRole('button', { name: 'allow', exact: true }).click();
    // The next question comes without a reload.
    await page.getByText(`Allow \`Bash: echo push >> ${calls}\`?`).waitFor();
    expect(site.workspace.read('infra/main.tf')).toBe(TEXT);

    // On the screen of the run, with a comment.
    const [run = ''] = site.workspace.runs();
    await page.goto(runAddress(served, run));
    await page.locator('.ask-band pre', { hasText: `command: echo push >> ${calls}` }).waitFor();
    await page.getByLabel('Comment').fill('not today');
    await page.getByRole('button', { name: 'deny', exact: true }).click();
    await page.locator('.head').getByText('Failed').waitFor();
    expect(fs.existsSync(calls)).toBe(false);
    expect(JSON.stringify(server.requests.at(-1)?.body['messages'])).toContain(
      'A person denied this call. They said: not today',
    );
    await until(() => status() === 'failed');
    await site.expectNothingLeft();
  });

  it('nobody sees it once it is answered, and a read-only page shows it without buttons', async () => {
    const served = await servePage(site.workspace, ['--read-only']);
    const page = await openTab(await person(), screenAddress(served, 'inbox'));
    const card = page.getByRole('region', { name: 'Question of ship' });
    await card.locator('pre', { hasText: 'line 119' }).waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    const [run = ''] = site.workspace.runs();
    const [key = ''] = Object.keys(site.workspace.state().waiting_for ?? {});
    const at = `runs/${run}/questions/${encodeURIComponent(key)}`;
    expect(await served.get(at)).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect(await served.get(`runs/${run}/questions/constructor`)).toMatchObject({ status: 404 });
    await site.workspace.run(['approve', 'last', key, '--choose', 'deny']);
    await site.run(['resume', 'last'], server);
    expect(await served.get(at)).toMatchObject({ status: 404 });
  });

  it.each(['approve', 'a file'])(
    'answered with %s, the keeper takes the run up, and the call runs once',
    async (how) => {
      const keeper = site.start(['keep'], server);
      await new Promise((keeping) => keeper.child.stderr?.once('data', keeping));
      const answer = async (count: number): Promise<void> => {
        let key = '';
        await until(() => {
          const open = Object.keys(site.workspace.state().waiting_for ?? {});
          key = open[0] ?? '';
          return status() === 'waiting' && key !== '' && site.events('question-asked').length === count;
        });
        if (how === 'approve') await site.workspace.run(['approve', 'last', key, '--choose', 'allow']);
        else {
          const name = `.orchestrate/runs/${site.workspace.runs()[0]}/answers/${key.replace('/', '.')}.json`;
          site.workspace.write({ [name]: JSON.stringify({ key, choice: 'allow' }) });
        }
      };
      await answer(1);
      await answer(2);
      await until(() => status() === 'completed' || keeper.child.exitCode !== null);
      keeper.child.kill('SIGTERM');
      await keeper.ended;
      expect(fs.readFileSync(calls, 'utf8')).toBe('push\n');
      expect(site.workspace.read('infra/main.tf')).toBe(TEXT);
      expect(site.events('run-resumed')).toHaveLength(2);
      await site.expectNothingLeft();
    },
  );
});
