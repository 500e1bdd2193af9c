/** A workflow in code whose file does not end, or ends its process: the page and the keeper continue. */
import fs from 'node:fs';
import { expect, it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { screenAddress } from './site.ts';

const NOTES_PID = "import fs from 'node:fs';\nfs.appendFileSync('pids', `${process.pid}\\n`);\n";
const ENDLESS = `${NOTES_PID}while (true) {}\n`;
const EXITS = "console.log('bye');\nprocess.exit(0);\n";
const FINE = `import { workflow } from 'orchestrate-run';
export default workflow({ name: 'NAME', run: async (ctx) => {
  await ctx.command('First', ['sh', '-c', 'echo NAME >> begun; until [ -e up ]; do sleep 0.02; done']);
  await ctx.command('Second', ['sh', '-c', 'echo NAME >> done']);
} });
`;

function pidsIn(workspace: Workspace): readonly number[] {
  return workspace.has('pids') ? workspace.read('pids').trimEnd().split('\n').map(Number) : [];
}

function isAlive(pid: number): boolean {
  try {
    // After the name, which may contain anything.
    return !/\) [ZX] [^)]*$/.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

it('the page stays responsive while a file of a user never ends, and says which file and what to do', async () => {
  const workspace = new Workspace({
    'endless.workflow.mjs': ENDLESS,
    'exits.workflow.mjs': EXITS,
    'awaits.workflow.mjs': 'await new Promise(() => {});\n',
    'workflows/ship.yaml': 'name: ship\nsteps:\n  - { name: Say, command: [echo, hello] }\n',
  });
  const server = await servePage(workspace);
  const browser = await person();
  const page = await openTab(browser, screenAddress(server, 'runs'));
  await page.getByRole('button', { name: 'Start a workflow' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'endless' }).click();
  await until(() => pidsIn(workspace).length === 1);

  // Meanwhile, another tab works as usual.
  const other = await openTab(browser, screenAddress(server, 'runs'));
  const choose = async (name: string) => {
    await other.getByRole('button', { name: 'Start a workflow' }).click();
    await other.getByRole('dialog').getByRole('button', { name }).click();
  };
  await choose('exits');
  await other
    .locator('.toast.bad', {
      hasText: 'exits.workflow.mjs ended its process while it was loaded (exit code 0)',
    })
    .waitFor();
  await other.locator('.toast.bad', { hasText: 'look for process.exit()' }).waitFor();
  await choose('awaits');
  await other
    .locator('.toast.bad', { hasText: 'awaits.workflow.mjs ended its process while it was loaded' })
    .waitFor();
  await choose('ship');
  await other.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
  await other.locator('.head').getByText('Completed').waitFor();
  expect(pidsIn(workspace).every(isAlive)).toBe(true);

  const slow = page.locator('.toast.bad', {
    hasText: 'endless.workflow.mjs was not loaded within 30 seconds',
  });
  await slow.waitFor({ timeout: 100_000 });
  expect(await slow.textContent()).toContain('look for an endless loop');
  await until(() => !pidsIn(workspace).some(isAlive));
  expect(server.started.child.exitCode).toBeNull();
}, 180_000);

it('a keeper whose runs have such files resumes the others, and leaves no process when it ends or is killed', async () => {
  const names = ['endless', 'exits', 'fine'];
  const workspace = new Workspace(
    Object.fromEntries(names.map((name) => [`${name}.workflow.mjs`, FINE.replaceAll('NAME', name)])),
  );
  const runs: { [name: string]: string } = {};
  for (const name of names) {
    const run = workspace.start(['run', `${name}.workflow.mjs`, '--quiet']);
    await until(() => workspace.has('begun') && workspace.read('begun').includes(name));
    run.child.kill('SIGKILL');
    await run.ended;
    runs[name] = workspace.runs().find((id) => !Object.values(runs).includes(id)) ?? '';
  }
  workspace.write({ up: '', 'endless.workflow.mjs': ENDLESS, 'exits.workflow.mjs': EXITS });
  const keeper = workspace.start(['keep']);
  let said = '';
  keeper.child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  await until(() => pidsIn(workspace).length === 1);
  const { fine = '', exits = '' } = runs;
  await until(() => workspace.hasState(fine) && workspace.state(fine).status === 'completed');
  expect(workspace.read('done')).toBe('fine\n');
  await until(() => said.includes(`run ${exits} is not taken up`) || keeper.child.exitCode !== null);
  keeper.child.kill('SIGKILL');
  await keeper.ended;
  // Its thread notices that nobody waits for it any more.
  await until(() => !pidsIn(workspace).some(isAlive));

  const next = workspace.start(['keep']);
  await until(() => pidsIn(workspace).length === 2);
  next.child.kill('SIGTERM');
  const { exitCode, stderr } = await next.ended;
  expect(exitCode, stderr).toBe(0);
  expect(pidsIn(workspace).some(isAlive)).toBe(false);
  const { stdout } = await workspace.run(['show', exits, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted' });
}, 120_000);
