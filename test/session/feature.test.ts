import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { type Json, SessionWorkspace } from './rig.ts';

const IDS = Array.from({ length: 12 }, (_, index) => `IMPL-${index + 1}`);

/** IMPL-4 asks, IMPL-5 fails, IMPL-6 and IMPL-7 conflict, IMPL-11 depends on the failure and IMPL-12 is divided while IMPL-1 runs. */
function plan(): readonly Json[] {
  const depends: Json = { 'IMPL-11': ['IMPL-5'], 'IMPL-12': ['IMPL-1'] };
  return IDS.map((id) => ({
    id,
    title: `Part ${id}`,
    meta: { type: 'feature' },
    context: {
      requirements: [],
      focus_paths: [`${id}.txt`],
      acceptance: id === 'IMPL-5' ? ['command: false'] : [],
      depends_on: depends[id] ?? [],
    },
    flow_control:
      id === 'IMPL-4'
        ? {
            pre_analysis: [
              { step: 'check', action: 'Look', command: 'bash(exit 1)', on_error: 'manual_intervention' },
            ],
          }
        : {},
  }));
}

it('a feature of twelve tasks survives a question, a failure, a conflict, a division, new tasks and two kills', async () => {
  const workspace = new SessionWorkspace({ 'base.txt': 'base\n', 'shared.txt': 'shared\n' });
  workspace.initGit();
  workspace.write({ 'base.txt': 'base\nmine, not committed\n', 'mine.txt': 'my own file\n' });
  const go = JSON.stringify(path.join(workspace.folder, '.stand-ins', 'go'));
  const env = workspace.standInClaude(`
    if (prompt.startsWith('Plan the work')) return { raw: { tasks: ${JSON.stringify(plan())} } };
    const id = /^Work on the task (\\S+):/.exec(prompt)[1];
    while (id === 'IMPL-1' && !fs.existsSync(${go})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    const begun = (each) => ${JSON.stringify(path.join(workspace.folder, '.stand-ins'))} + '/' + each + '.begun';
    fs.writeFileSync(begun(id), '');
    // Both start from the same files.
    const other = { 'IMPL-6': 'IMPL-7', 'IMPL-7': 'IMPL-6' }[id];
    while (other !== undefined && !fs.existsSync(begun(other))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    fs.writeFileSync(id === 'IMPL-6' || id === 'IMPL-7' ? 'shared.txt' : id + '.txt', id + '\\n');
    return {};
  `);
  await workspace.ok(['session', 'start', 'Work']);
  expect((await workspace.ok(['plan', 'A feature'], { env })).stdout).toBe(
    IDS.map((id) => `${id}\n`).join(''),
  );
  const execute = ['execute', '--review', '--max-parallel', '4', '--on-failure', 'continue'];
  const first = workspace.start(execute, { env });
  await until(() => workspace.prompts().length >= 4);
  for (const title of ['Added one', 'Added two'])
    await workspace.ok(['task', 'create', '--title', title, '--focus', title.replace(' ', '-')]);
  await workspace.ok(['task', 'decompose', 'IMPL-12', '--into', 'Left', 'Right']);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = workspace.start(execute, { env });
  await until(() => workspace.prompts().length >= 9);
  second.child.kill('SIGKILL');
  await second.ended;
  fs.writeFileSync(path.join(workspace.folder, '.stand-ins', 'go'), '');
  let ended = await workspace.run(execute, { env });
  for (let round = 0; ended.exitCode === 3 && round < 12; round += 1) {
    const status = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
    for (const { run_id, key } of status.questions as readonly {
      readonly run_id: string;
      readonly key: string;
    }[]) {
      const choice = key.endsWith('/review') ? 'accept' : 'continue';
      await workspace.ok(['approve', run_id, key, '--choose', choice]);
    }
    ended = await workspace.run(execute, { env });
  }
  expect(ended.exitCode).toBe(1);
  const all = [...IDS.slice(0, 11), 'IMPL-12.1', 'IMPL-12.2', 'IMPL-13', 'IMPL-14'];
  const status = (id: string) => workspace.task(id)['status'];
  const [lost = ''] = ['IMPL-6', 'IMPL-7'].filter((id) => status(id) === 'blocked');
  const left = new Map([
    ['IMPL-5', 'blocked'],
    ['IMPL-11', 'pending'],
    [lost, 'blocked'],
  ]);
  expect(Object.fromEntries(all.map((id) => [id, status(id)]))).toEqual(
    Object.fromEntries(all.map((id) => [id, left.get(id) ?? 'completed'])),
  );
  expect(JSON.stringify(workspace.task(lost))).toMatch(/conflict.*shared\.txt/);
  const [begin, ...commits] = workspace.git('log', '--format=%s', '--reverse').trimEnd().split('\n');
  expect(begin).toBe('begin');
  const titleOf = (id: string) => `${id}: ${workspace.task(id)['title']}`;
  expect(commits.sort()).toEqual(
    all
      .filter((id) => !left.has(id))
      .map(titleOf)
      .sort(),
  );
  expect(workspace.read('base.txt')).toBe('base\nmine, not committed\n');
  expect(workspace.read('mine.txt')).toBe('my own file\n');
  expect(workspace.git('status', '--porcelain').trimEnd().split('\n').sort()).toEqual([
    ' M base.txt',
    '?? mine.txt',
  ]);
  expect(workspace.prompts().some(({ prompt }) => prompt.startsWith('Work on the task IMPL-12:'))).toBe(
    false,
  );
}, 180_000);
