import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeHold } from '../../src/host/carrying/take-hold.ts';
import { createLoop } from '../../src/operations/loops/create-loop.ts';
import { prepareLoop } from '../../src/operations/loops/run/prepare-loop.ts';
import { writeLoopStatus } from '../../src/operations/loops/write-status.ts';
import type { RunPlan } from '../../src/operations/run-plan.ts';
import type { Site } from '../../src/operations/site.ts';
import { createTrustBook } from '../../src/operations/trust-book.ts';
import { NO_VERIFY, Project, status, TASK } from '../iterate/rig.ts';
import { until } from '../rig/orchestrate.ts';
import { temporarySite } from './site.ts';

/** A site as the program itself would use in the project. */
function siteIn({ folder, path: PATH }: Project): Site {
  const environment = { HOME: folder, PATH };
  return { ...temporarySite(), workspace: folder, environment, trust: createTrustBook(environment) };
}

async function projectWithTask(): Promise<Project> {
  const project = new Project();
  await project.task();
  project.agent({ calls: [status({ complete: false }), { events: [], hang: true }] });
  return project;
}

function planned(project: Project): RunPlan {
  const prepared = prepareLoop(siteIn(project), { name: 'task' });
  if (prepared.type === 'error') throw new Error(JSON.stringify(prepared.error));
  // As another process would receive it.
  return JSON.parse(JSON.stringify(prepared.value.plan));
}

function taken(project: Project, plan: RunPlan) {
  if (plan.hold === undefined) throw new Error('the plan has no hold');
  return takeHold(plan, plan.hold, { site: siteIn(project), onProblem() {} });
}

/** A loop whose process is killed in its second iteration. */
async function killLoop(project: Project): Promise<void> {
  const running = project.begin(['run', 'task', ...NO_VERIFY]);
  await until(() => project.calls().length === 2);
  process.kill(running.pid, 'SIGKILL');
  await running.ended;
}

describe('the plan of a loop', () => {
  it('is plain data, and creating it writes nothing', async () => {
    const project = await projectWithTask();
    const before = project.list('.');
    const prepared = prepareLoop(siteIn(project), { name: 'task', maxIterations: 3, level: 'quiet' });
    expect(prepared).toMatchObject({
      type: 'ok',
      value: {
        plan: { kind: 'iterate', title: 'task', begin: { type: 'new', input: { maxIterations: 3 } } },
        loop: { name: 'task', level: 'quiet' },
      },
    });
    if (prepared.type === 'ok')
      expect(JSON.parse(JSON.stringify(prepared.value.plan))).toEqual(prepared.value.plan);
    expect(project.list('.')).toEqual(before);
  });

  it('holds the workspace while it is executed', async () => {
    const project = await projectWithTask();
    const plan = planned(project);
    const hold = await taken(project, plan);
    const held = { type: 'loop-held', name: 'task', held: { owner: { pid: process.pid } } };
    expect(await taken(project, plan)).toMatchObject({ type: 'error', error: held });
    if (hold.type === 'ok') await hold.value.release();
    const next = await taken(project, plan);
    expect(next.type).toBe('ok');
    if (next.type === 'ok') await next.value.release();
  });

  it('resumes the unfinished run, and is refused if another process has run meanwhile', async () => {
    const project = await projectWithTask();
    const early = planned(project);
    await killLoop(project);
    expect(await taken(project, early)).toMatchObject({
      type: 'error',
      error: { type: 'loop-run-meanwhile', name: 'task' },
    });
    const plan = planned(project);
    expect(plan).toMatchObject({ runId: project.metadata().run?.id, begin: { type: 'resume' } });
    const hold = await taken(project, plan);
    expect(hold.type).toBe('ok');
    if (hold.type === 'ok') await hold.value.release();
  });

  it('contains no credentials: the process that executes it finds them', async () => {
    const project = await projectWithTask();
    const url = 'https://me:pass-4711@example.invalid/topic';
    await project.iterate(['config', '-w', 'task', 'notifyUrl', url]);
    const site = siteIn(project);
    const asked = prepareLoop(site, { name: 'task' });
    if (asked.type === 'error' && asked.error.type === 'not-trusted')
      await site.trust.agree(asked.error.folder, asked.error.claims);
    const prepared = prepareLoop(site, { name: 'task' });
    if (prepared.type === 'error') throw new Error(JSON.stringify(prepared.error));
    expect(JSON.stringify(prepared.value)).not.toContain('pass-4711');
    const hold = await taken(project, prepared.value.plan);
    expect(hold).toMatchObject({ type: 'ok', value: { secrets: expect.arrayContaining(['pass-4711']) } });
    if (hold.type === 'ok') await hold.value.release();
  });
});

describe('the status of a loop', () => {
  it('keeps omitted fields, and keeps an unreadable file', async () => {
    const site = temporarySite('agent');
    expect(await createLoop(site, { name: 'task' })).toMatchObject({ type: 'ok' });
    const file = path.join(site.workspace, TASK, '.status.json');
    const first = await writeLoopStatus(site, {
      name: 'task',
      status: { complete: false, summary: 'begun' },
    });
    expect(first).toEqual({
      type: 'ok',
      value: { status: { complete: false, summary: 'begun', lastUpdated: '2026-01-31T12:00:00.000Z' } },
    });
    await writeLoopStatus(site, { name: 'task', status: { complete: true } });
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ complete: true, summary: 'begun' });
    fs.writeFileSync(file, 'no JSON');
    const again = await writeLoopStatus(site, { name: 'task', status: { complete: false } });
    if (again.type === 'error') throw new Error(JSON.stringify(again.error));
    expect(fs.readFileSync(path.join(path.dirname(file), again.value.keptAs ?? ''), 'utf8')).toBe('no JSON');
    expect(await writeLoopStatus(site, { name: 'none', status: { complete: true } })).toMatchObject({
      type: 'error',
      error: { type: 'loop-not-found', name: 'none' },
    });
  });
});
