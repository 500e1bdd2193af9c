/** `schedule` of a workflow in code: declared in its file, started by the keeper like that of a workflow file. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';

const code = (schedule: string): string => `import fs from 'node:fs';
import { workflow } from 'orchestrate-run';
fs.appendFileSync('loaded', 'x');
const Input = { '~standard': { version: 1, vendor: 'test',
  validate: (value) => value.branch === 7 ? { issues: [{ message: 'must be text', path: ['branch'] }] } : { value } } };
export default workflow({ name: 'nightly', input: Input, schedule: ${schedule}, run: async (ctx, { branch = 'none' }) => {
  await ctx.command('Say', ['sh', '-c', \`echo \${branch} >> said\`]);
} });
`;
const YEARLY = "[{ cron: '0 0 1 1 *', timezone: 'UTC', input: { branch: 'main' }, catchUp: 'once' }]";
const EVERY_SECOND = "[{ cron: '* * * * * *', input: { branch: 'main' } }]";
const NOT_TRUSTED = 'you have not trusted its code; `orchestrate keep` asks';

it('is started by the keeper with its input, and each start is recorded', async () => {
  const site = new Workspace({ 'workflows/nightly.workflow.mjs': code(EVERY_SECOND) });
  const keeper = site.start(['keep', '--trust']);
  await until(() => site.has('said') || keeper.child.exitCode !== null);
  keeper.child.kill('SIGTERM');
  const { exitCode, stderr } = await keeper.ended;
  expect(exitCode, stderr).toBe(0);
  expect(site.read('said')).toMatch(/^(main\n)+$/);
  const [first = ''] = site.runs();
  expect(stderr).toContain(`workflows/nightly.workflow.mjs: started run ${first} for `);
  expect(JSON.parse((await site.run(['schedule', 'list', '--json'])).stdout)).toMatchObject([
    {
      file: 'workflows/nightly.workflow.mjs',
      workflow: 'nightly',
      last_run: expect.stringMatching(/^\d{8}T/),
    },
  ]);
}, 60_000);

it('is loaded only once its code is trusted, by the command line and by the page', async () => {
  const site = new Workspace({
    'workflows/nightly.workflow.mjs': code(YEARLY),
    'workflows/other.workflow.mjs': "import fs from 'node:fs';\nfs.writeFileSync('other', '');\n",
  });
  expect(await site.run(['schedule', 'list'])).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: `warning: workflows/nightly.workflow.mjs cannot be used: ${NOT_TRUSTED}\n`,
  });
  const server = await servePage(site);
  expect((await server.get('schedule')).body).toMatchObject({
    schedules: [],
    invalid: [{ file: 'workflows/nightly.workflow.mjs', problem: NOT_TRUSTED }],
  });
  // There is no terminal to ask.
  expect(await site.run(['keep'])).toMatchObject({ exitCode: 2 });
  expect(site.has('loaded')).toBe(false);

  const keeper = site.start(['keep', '--trust']);
  await until(() => site.has('.orchestrate/keeper/journal.jsonl') || keeper.child.exitCode !== null);
  keeper.child.kill('SIGTERM');
  expect(await keeper.ended).toMatchObject({ exitCode: 0 });
  const year = new Date().getUTCFullYear() + 1;
  const listed = { file: 'workflows/nightly.workflow.mjs', workflow: 'nightly', catch_up: 'once' };
  expect((await server.get('schedule')).body).toMatchObject({
    schedules: [{ ...listed, context: { branch: 'main' }, next: `${year}-01-01T00:00:00.000Z` }],
    invalid: [],
  });
  // What has not changed is not loaded again.
  const loads = site.read('loaded');
  await server.get('schedule');
  expect(site.read('loaded')).toBe(loads);
  expect((await site.run(['schedule', 'list'])).stdout).toBe(
    `workflows/nightly.workflow.mjs · 0 0 1 1 * UTC · next ${year}-01-01T00:00:00Z\n`,
  );
  expect((await site.run(['schedule', 'pause', 'nightly'])).stderr).toBe(
    'workflows/nightly.workflow.mjs is paused\n',
  );
  // Changed code is not trusted.
  site.write({ 'workflows/nightly.workflow.mjs': code(EVERY_SECOND) });
  expect((await server.get('schedule')).body).toMatchObject({
    schedules: [],
    invalid: [{ problem: NOT_TRUSTED }],
  });
  expect(site.has('other')).toBe(false);
}, 60_000);

it.each(['lib/said.mjs', 'lib/again.mjs'])(
  'is not trusted after a change of what it imports: %s',
  async (changed) => {
    const site = new Workspace({
      'lib/said.mjs': "export { again as said } from './again.mjs';\n",
      'lib/again.mjs': "export const again = 'first';\n",
      'workflows/nightly.workflow.mjs': `import { said } from '../lib/said.mjs';\n${code(YEARLY)}\nvoid said;\n`,
    });
    const keeper = site.start(['keep', '--trust']);
    await until(() => site.has('.orchestrate/keeper/journal.jsonl') || keeper.child.exitCode !== null);
    keeper.child.kill('SIGTERM');
    expect(await keeper.ended).toMatchObject({ exitCode: 0 });
    expect((await site.run(['schedule', 'list'])).stderr).toBe('');
    fs.appendFileSync(path.join(site.folder, changed), '\n');
    expect((await site.run(['schedule', 'list'])).stderr).toContain(NOT_TRUSTED);
  },
  60_000,
);

it('with mistakes is refused, with all of them', async () => {
  const wrong =
    "[{ cron: '61 * * * *', timezone: 'Mars/Olympus', input: { branch: 7 }, overlap: 'wait', catch_up: 'once' }, {}]";
  const site = new Workspace({ 'nightly.workflow.mjs': code(wrong) });
  const { exitCode, stderr } = await site.run(['validate', 'nightly.workflow.mjs']);
  expect(exitCode).toBe(2);
  expect(stderr.split('\n').filter((line) => line.startsWith('error'))).toEqual([
    'error[module/invalid-workflow]: unknown key `catch_up` in `schedule`; valid keys: cron, timezone, input, overlap, catchUp',
    'error[module/invalid-workflow]: `schedule`: `61` is not valid as minute (0 to 59)',
    'error[module/invalid-workflow]: unknown time zone `Mars/Olympus`',
    'error[module/invalid-workflow]: `overlap` must be one of skip, queue, cancel',
    'error[module/invalid-workflow]: the `input` of `schedule` does not fit: branch: must be text',
    "error[module/invalid-workflow]: an entry of `schedule` needs `cron`, such as '30 2 * * *'",
  ]);
});
