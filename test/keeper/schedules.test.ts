/** What a keeper does when a start is due: late, paused, or while the last run has not ended. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { listSchedules, nextStarts } from '../../src/operations/schedules/list-schedules.ts';
import { pauseSchedule } from '../../src/operations/schedules/paused.ts';
import { readQueue } from '../../src/operations/schedules/run-queue.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { writeFiles } from '../rig/temporary-folder.ts';
import { Simulation, scheduled } from './simulation.ts';

async function hourly(more = '', start = '2026-05-01T09:30:00Z'): Promise<Simulation> {
  const simulation = new Simulation(
    { 'workflows/w.yaml': scheduled(`{ cron: "0 * * * *", timezone: UTC${more} }`) },
    start,
  );
  onTestFinished(() => simulation.stop());
  await simulation.start();
  return simulation;
}

const times = ({ started }: Simulation): readonly string[] => started.map(({ at }) => at.toISOString());
const skips = async ({ site }: Simulation) => {
  const listed = await listSchedules(site);
  return listed.type === 'ok' ? listed.value.schedules.map(({ record }) => record?.lastSkip?.why) : [];
};

describe('a schedule', () => {
  it('starts nothing when it is first seen, and then on time, once', async () => {
    const simulation = await hourly();
    await simulation.at('2026-05-01T09:59:59Z');
    expect(simulation.started).toEqual([]);
    for (const at of ['10:00:00', '10:00:00', '10:00:30', '10:59:59', '11:00:01'])
      await simulation.at(`2026-05-01T${at}Z`);
    expect(times(simulation)).toEqual(['2026-05-01T10:00:00.000Z', '2026-05-01T11:00:01.000Z']);
  });

  it.each([
    ['', [], 'missed'],
    [', catch_up: once', ['2026-05-01T15:20:00.000Z'], undefined],
  ])('that was missed for hours is made up for by at most one start: %s', async (more, expected, skip) => {
    const simulation = await hourly(more);
    await simulation.stop();
    simulation.now = new Date('2026-05-01T15:20:00Z');
    await simulation.start();
    expect(times(simulation)).toEqual(expected);
    expect(await skips(simulation)).toEqual([skip]);
    await simulation.at('2026-05-01T16:00:00Z');
    expect(simulation.started).toHaveLength(expected.length + 1);
  });

  it('that was edited starts from scratch', async () => {
    const simulation = await hourly(', catch_up: once');
    await simulation.stop();
    writeFiles(simulation.site.workspace, {
      'workflows/w.yaml': scheduled('{ cron: "*/10 * * * *", timezone: UTC, catch_up: once }'),
    });
    simulation.now = new Date('2026-05-01T15:25:00Z');
    await simulation.start();
    expect(simulation.started).toEqual([]);
    await simulation.at('2026-05-01T15:30:00Z');
    expect(simulation.started).toHaveLength(1);
  });

  it('that is paused starts nothing, and nothing is made up for', async () => {
    const simulation = await hourly(', catch_up: once');
    expect(await pauseSchedule(simulation.site, { workflow: 'w', isPaused: true })).toMatchObject({
      type: 'ok',
    });
    await simulation.at('2026-05-01T10:00:00Z');
    expect(await skips(simulation)).toEqual(['paused']);
    await simulation.stop();
    simulation.now = new Date('2026-05-01T12:30:00Z');
    await pauseSchedule(simulation.site, { workflow: 'workflows/w.yaml', isPaused: false });
    simulation.now = new Date('2026-05-01T12:40:00Z');
    await simulation.start();
    expect(simulation.started).toEqual([]);
    await simulation.at('2026-05-01T13:00:00Z');
    expect(simulation.started).toHaveLength(1);
  });
});

describe('a start while the last run has not ended', () => {
  it('is skipped by default', async () => {
    const simulation = await hourly();
    simulation.holdsRuns = true;
    await simulation.at('2026-05-01T10:00:00Z');
    await simulation.at('2026-05-01T11:00:00Z');
    expect(simulation.started).toHaveLength(1);
    expect(await skips(simulation)).toEqual(['overlap']);
    for (const end of simulation.open.values()) await end();
    await simulation.at('2026-05-01T12:00:00Z');
    expect(simulation.started).toHaveLength(2);
  });

  it('waits for its end with `overlap: queue`, and only one waits', async () => {
    const simulation = await hourly(', overlap: queue');
    simulation.holdsRuns = true;
    for (const hour of ['10', '11', '12']) await simulation.at(`2026-05-01T${hour}:00:00Z`);
    expect(simulation.started).toHaveLength(1);
    const queue = readQueue(simulation.site.workspace);
    expect(queue).toMatchObject({ type: 'ok', value: [{ file: 'workflows/w.yaml' }] });
    for (const end of simulation.open.values()) await end();
    await simulation.at('2026-05-01T12:20:00Z');
    await simulation.at('2026-05-01T12:20:02Z');
    expect(times(simulation)).toEqual(['2026-05-01T10:00:00.000Z', '2026-05-01T12:20:00.000Z']);
    expect(readQueue(simulation.site.workspace)).toEqual({ type: 'ok', value: [] });
    for (const end of simulation.open.values()) await end();
  });
});

describe('a start that cancels', () => {
  it('cancels the last run with `overlap: cancel`, and starts when it has ended', async () => {
    const site = new Workspace({
      'workflows/w.yaml':
        'name: w\nschedule: [{ cron: "*/2 * * * * *", overlap: cancel }]\nsteps:\n  - { name: A, command: [sleep, "600"] }\n',
    });
    const keeper = site.start(['keep', '--trust']);
    const statuses = () => site.runs().map((id) => (site.hasState(id) ? site.state(id).status : ''));
    await until(() => statuses().length >= 3 && statuses()[1] === 'cancelled');
    expect(statuses().slice(0, 2)).toEqual(['cancelled', 'cancelled']);
    expect(statuses().filter((status) => status === 'running').length).toBeLessThanOrEqual(1);
    keeper.child.kill('SIGTERM');
    await keeper.ended;
    await site.run(['cancel', 'last']);
  }, 60_000);

  it('cancels it once, so that its `finally` steps finish', async () => {
    const site = new Workspace({
      'workflows/w.yaml':
        'name: w\nschedule: [{ cron: "* * * * * *", overlap: cancel }]\nsteps:\n  - { name: A, command: [sleep, "600"] }\nfinally:\n  - { name: Tidy, command: [bash, -c, "until [ -e go ]; do sleep 0.02; done; echo x >> tidied"] }\n',
    });
    const keeper = site.start(['keep', '--trust']);
    let said = '';
    keeper.child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await until(() => (said.match(/not started, because/g) ?? []).length >= 2);
    const [first = ''] = site.runs();
    site.write({ go: '' });
    await until(() => site.state(first).status === 'cancelled');
    expect(
      site.journal(first).filter(({ type, key }) => type === 'step-ended' && key === 'Tidy'),
    ).toMatchObject([{ output: { outcome: 'done' } }]);
    keeper.child.kill('SIGTERM');
    await keeper.ended;
    await site.run(['cancel', 'last']);
  }, 60_000);
});

describe('the next starts', () => {
  it('of all schedules are in order, in any time zone', async () => {
    const simulation = new Simulation(
      {
        'workflows/a.yaml': scheduled('{ cron: "30 2 * * *", timezone: Europe/Berlin }'),
        'workflows/b.yaml': scheduled('{ cron: "15 0 3 * * *", timezone: America/New_York }'),
        'workflows/c.yaml': 'name: c\nsteps: []\n',
      },
      '2026-10-24T00:00:00Z',
    );
    const starts = await nextStarts(simulation.site, { count: 5 });
    expect(
      starts.type === 'ok' && starts.value.map(({ at, schedule }) => [at.toISOString(), schedule.file]),
    ).toEqual([
      ['2026-10-24T00:30:00.000Z', 'workflows/a.yaml'],
      ['2026-10-24T07:00:15.000Z', 'workflows/b.yaml'],
      ['2026-10-25T00:30:00.000Z', 'workflows/a.yaml'],
      ['2026-10-25T07:00:15.000Z', 'workflows/b.yaml'],
      ['2026-10-26T01:30:00.000Z', 'workflows/a.yaml'],
    ]);
    const listed = await listSchedules(simulation.site);
    expect(listed.type === 'ok' && listed.value.invalid).toMatchObject([{ file: 'workflows/c.yaml' }]);
  });
});
