import { expect, it } from 'vitest';
import { SessionWorkspace } from './rig.ts';

it('a task nested 60,000 levels deep is reported as unreadable and breaks no command', async () => {
  const site = new SessionWorkspace();
  await site.begin([{ id: 'IMPL-1', title: 'One', status: 'pending' }]);
  const file = `.workflow/${site.id}/.task/IMPL-1.json`;
  site.write({ [file]: `{"id":"IMPL-1","title":"One","deep":${'['.repeat(60_000)}${']'.repeat(60_000)}}` });
  for (const argv of [
    ['task', 'show', 'IMPL-1'],
    ['task', 'update', 'IMPL-1', '--status', 'active'],
    ['task', 'list'],
    ['session', 'status'],
    ['execute', '--agent', 'mock'],
    ['repair'],
  ]) {
    const { exitCode, stderr } = await site.run(argv);
    expect([0, 1, 2], `${argv.join(' ')}\n${stderr.slice(0, 1000)}`).toContain(exitCode);
  }
  const { exitCode, stderr } = await site.run(['task', 'validate']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('error[task/not-json]: nested more than 500 levels deep');
});
