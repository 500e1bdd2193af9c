import { describe, expect, it } from 'vitest';
import { kindOf } from '../../src/operations/problem.ts';
import {
  completeSession,
  pauseSession,
  resumeLastSession,
  startSession,
  switchSession,
} from '../../src/operations/sessions/change-session.ts';
import { executeTasks } from '../../src/operations/sessions/execute/execute-tasks.ts';
import { previewExecution } from '../../src/operations/sessions/execute/preview-execution.ts';
import { listSessions } from '../../src/operations/sessions/list-sessions.ts';
import { importTasks } from '../../src/operations/sessions/plan/import-tasks.ts';
import { planTasks } from '../../src/operations/sessions/plan/plan-tasks.ts';
import { readSession } from '../../src/operations/sessions/read-session.ts';
import { createTask } from '../../src/operations/sessions/tasks/create-tasks.ts';
import { updateTask } from '../../src/operations/sessions/tasks/update-task.ts';
import { writeFiles } from '../rig/temporary-folder.ts';
import { temporarySite } from './site.ts';

describe('operations on sessions', () => {
  it('start, pause, resume, switch, complete and list them as data', async () => {
    const site = temporarySite();
    expect(await startSession(site, { topic: 'First' })).toMatchObject({ value: { id: 'WFS-first' } });
    expect(await startSession(site, { topic: 'Second' })).toMatchObject({ value: { id: 'WFS-second' } });
    expect(await pauseSession(site)).toMatchObject({ value: { id: 'WFS-second' } });
    expect(await switchSession(site, 'first')).toMatchObject({ value: { id: 'WFS-first' } });
    expect(await completeSession(site, {})).toEqual({
      type: 'ok',
      value: { id: 'WFS-first', folder: '.workflow/archives/WFS-first', kept: [] },
    });
    expect(await resumeLastSession(site)).toMatchObject({ value: { id: 'WFS-second' } });
    const row = { done: 0, total: 0, kind: 'workflow', type: 'simple' };
    expect(listSessions(site)).toEqual({
      type: 'ok',
      value: {
        sessions: [
          { ...row, id: 'WFS-second', state: 'active', project: 'Second' },
          { ...row, id: 'WFS-first', state: 'completed', project: 'First' },
        ],
        problems: [],
      },
    });
  });

  it('read the progress of a session', async () => {
    const site = temporarySite();
    await startSession(site, { topic: 'Work' });
    await createTask(site, { title: 'Read' });
    await createTask(site, { title: 'Write', dependsOn: ['IMPL-1'] });
    expect(readSession(site, {})).toMatchObject({
      type: 'ok',
      value: {
        ...{ id: 'WFS-work', state: 'active', isArchived: false, ready: ['IMPL-1'] },
        counts: { total: 2, completed: 0, active: 0, blocked: 0, pending: 2 },
        cost: { cost_usd: 0, agent_calls: 0, unknown_cost_calls: 0 },
        tasks: [{ id: 'IMPL-1' }, { id: 'IMPL-2', waitsFor: ['IMPL-1'] }],
      },
    });
  });
});

describe('a plan by an agent', () => {
  it('is plain data: the run that makes it, and the session that gets the tasks', async () => {
    const site = temporarySite();
    const prepared = await planTasks(site, { request: '# Add login\nwith JWT', agent: 'mock' });
    expect(prepared).toMatchObject({
      type: 'ok',
      value: {
        ...{ session: 'WFS-add-login', isNewSession: true },
        plan: {
          ...{ kind: 'session', title: 'plan of WFS-add-login', addsTasksTo: 'WFS-add-login' },
          begin: { type: 'new', program: 'session-plan', input: { request: '# Add login\nwith JWT' } },
        },
      },
    });
    expect(JSON.parse(JSON.stringify(prepared))).toEqual(prepared);
  });

  it("starts no session before the user trusts the folder's agent settings", async () => {
    const site = temporarySite();
    writeFiles(site.workspace, { '.claude/settings.json': '{"hooks": {}}', '.git/HEAD': '' });
    const refused = await planTasks(site, { request: 'Add login' });
    expect(refused).toMatchObject({ type: 'error', error: { type: 'not-trusted' } });
    expect(listSessions(site)).toMatchObject({ value: { sessions: [] } });
    if (refused.type === 'error' && refused.error.type === 'not-trusted')
      await site.trust.agree(refused.error.folder, refused.error.claims);
    expect(await planTasks(site, { request: 'Add login' })).toMatchObject({
      type: 'ok',
      value: { isNewSession: true },
    });
  });
});

describe('tasks from a file', () => {
  it('are all imported, or every fault of the file is reported', async () => {
    const site = temporarySite();
    const wrong = { path: 'tasks.json', text: '{"tasks": [{"title": 7}, {"title": "x", "status": "odd"}]}' };
    const refused = await importTasks(site, { file: wrong });
    expect(refused).toMatchObject({ type: 'error', error: { type: 'invalid-file' } });
    expect(listSessions(site)).toMatchObject({ value: { sessions: [] } });
    const file = { path: 'tasks.json', text: '{"tasks": [{"title": "One"}, {"title": "Two"}]}' };
    expect(await importTasks(site, { file })).toMatchObject({
      type: 'ok',
      value: { session: 'WFS-tasks', isNewSession: true, ids: ['IMPL-1', 'IMPL-2'], kept: [] },
    });
  });
});

describe('an execution', () => {
  it('is prepared as plain data and can be previewed', async () => {
    const site = temporarySite();
    await startSession(site, { topic: 'Work' });
    await createTask(site, { title: 'Read' });
    await createTask(site, { title: 'Write', dependsOn: ['IMPL-1'] });
    expect(previewExecution(site, { agent: 'mock', maxParallel: 2 })).toEqual({
      type: 'ok',
      value: {
        ...{ session: 'WFS-work', agent: 'mock', isCommand: false, maxParallel: 2 },
        waves: [
          [{ id: 'IMPL-1', title: 'Read', waitsFor: [] }],
          [{ id: 'IMPL-2', title: 'Write', waitsFor: ['IMPL-1'] }],
        ],
        left: [],
      },
    });
    const prepared = await executeTasks(site, { agent: 'mock' });
    expect(prepared).toMatchObject({
      type: 'ok',
      value: {
        type: 'new',
        plan: {
          ...{ kind: 'session', title: 'WFS-work: Work' },
          begin: { program: 'session-execute', input: { session: 'WFS-work', maxParallel: 1 } },
        },
      },
    });
    const plan = prepared.type === 'ok' && prepared.value.type === 'new' ? prepared.value.plan : undefined;
    expect(plan?.begin).toMatchObject({ input: { runId: plan?.runId } });
    expect(JSON.parse(JSON.stringify(prepared))).toEqual(prepared);
  });

  it('is empty or refused if no task is ready', async () => {
    const site = temporarySite();
    await startSession(site, { topic: 'Work' });
    expect(await executeTasks(site, {})).toEqual({
      type: 'ok',
      value: { type: 'nothing', session: 'WFS-work', kept: [] },
    });
    await createTask(site, { title: 'Read' });
    await updateTask(site, { task: 'IMPL-1', status: 'blocked' });
    const refused = await executeTasks(site, {});
    expect(refused.type === 'error' ? kindOf(refused.error) : refused).toBe('failed');
  });
});
