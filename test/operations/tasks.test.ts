import { describe, expect, it } from 'vitest';
import { kindOf } from '../../src/operations/problem.ts';
import { taskSummary } from '../../src/operations/sessions/listed-task.ts';
import { createTask } from '../../src/operations/sessions/tasks/create-tasks.ts';
import { getTask } from '../../src/operations/sessions/tasks/get-task.ts';
import { listTasks } from '../../src/operations/sessions/tasks/list-tasks.ts';
import { updateTask } from '../../src/operations/sessions/tasks/update-task.ts';
import type { Site } from '../../src/operations/site.ts';
import { startSession } from '../../src/session/sessions/sessions.ts';
import { temporarySite } from './site.ts';

describe('operations on tasks', () => {
  it('list, get and update tasks as data', async () => {
    const site = await siteWithSession();
    await createTask(site, { title: 'Add login', focus: ['src/auth'] });
    await createTask(site, { title: 'Test login', type: 'test', dependsOn: ['IMPL-1'] });
    expect(listTasks(site, {})).toEqual({
      type: 'ok',
      value: {
        isEmpty: false,
        stray: [],
        tasks: [
          listed({ id: 'IMPL-1', title: 'Add login', type: 'feature', agent: 'code-developer' }),
          listed({
            ...{ id: 'IMPL-2', title: 'Test login', type: 'test', agent: 'code-review-test-agent' },
            ...{ dependsOn: ['IMPL-1'], waitsFor: ['IMPL-1'] },
          }),
        ],
      },
    });
    const updated = await updateTask(site, { task: 'IMPL-1', status: 'completed', title: undefined });
    expect(updated).toMatchObject({
      type: 'ok',
      value: { id: 'IMPL-1', document: { title: 'Add login', status: 'completed' }, kept: [] },
    });
    const ready = listTasks(site, { ready: true });
    expect(ready.type === 'ok' ? ready.value.tasks.map(taskSummary) : ready).toEqual([
      {
        ...{ id: 'IMPL-2', title: 'Test login', status: 'pending', type: 'test' },
        ...{ agent: 'code-review-test-agent', depends_on: ['IMPL-1'], waits_for: [] },
      },
    ]);
    expect(getTask(site, { task: 'IMPL-1' })).toEqual({
      type: 'ok',
      value: { id: 'IMPL-1', document: updated.type === 'ok' ? updated.value.document : undefined },
    });
  });

  it.each([
    ['a missing task', { task: 'IMPL-9', title: 'x' }, 'not-found'],
    ['a missing session', { session: 'WFS-other', task: 'IMPL-1', title: 'x' }, 'not-found'],
    ['nothing', { task: 'IMPL-1' }, 'invalid'],
    ['a focus that is a pattern', { task: 'IMPL-1', focus: ['src/**'] }, 'invalid'],
    ['a task that would depend on itself', { task: 'IMPL-1', dependsOn: ['IMPL-1'] }, 'invalid'],
  ] as const)('report the kind of a refusal: %s', async (_, change, kind) => {
    const site = await siteWithSession();
    await createTask(site, { title: 'Add login' });
    const refused = await updateTask(site, change);
    expect(refused.type === 'error' ? kindOf(refused.error) : refused).toBe(kind);
  });

  it('refuse everything if no session is active', () => {
    expect(listTasks(temporarySite(), {})).toEqual({
      type: 'error',
      error: { type: 'no-active-session' },
    });
  });

  it.each([
    ['the user', 'user', 0],
    ['an agent', 'agent', 1],
  ] as const)('trust an acceptance command set by %s accordingly', async (_, asker, asked) => {
    const site = await siteWithSession(asker);
    await createTask(site, { title: 'Add login' });
    await updateTask(site, { task: 'IMPL-1', acceptance: ['command: true'] });
    const claims = [
      { name: 'IMPL-1 acceptance 1', value: 'true', file: '.workflow/WFS-work/.task/IMPL-1.json' },
    ];
    expect(site.trust.untrusted(site.workspace, claims) ?? []).toHaveLength(asked);
  });
});

async function siteWithSession(asker: Site['asker'] = 'user'): Promise<Site> {
  const site = temporarySite(asker);
  await startSession(site.workspace, {
    ...{ topic: 'Work', kind: 'workflow', complexity: 'simple' },
    now: site.now(),
  });
  return site;
}

function listed(task: { readonly [key: string]: unknown }): object {
  return { status: 'pending', isContainer: false, dependsOn: [], waitsFor: [], ...task };
}
