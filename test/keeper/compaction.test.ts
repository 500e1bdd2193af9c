/** The journal of the keeper stays small, and no start or attempt is forgotten by that. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunId } from '../../src/model/ids.ts';
import {
  asRecord,
  type KeeperEvent,
  KeeperRecord,
  readKeeperRecord,
} from '../../src/operations/schedules/keeper-events.ts';
import { createJournal } from '../../src/store/journal-file.ts';
import { killAt } from '../rig/kill-at.ts';
import { until, Workspace } from '../rig/orchestrate.ts';

const MOMENTS = ['before', 'after'] as const;
const JOURNAL = '.orchestrate/keeper/journal.jsonl';
const NEAR = 'workflows/near.yaml@11111111';
const GONE = 'workflows/gone.yaml@22222222';

const id = (number: number): RunId => `20260101T000000Z-${number.toString(36).padStart(6, '0')}` as RunId;

/** Two years of hourly starts of one schedule, another that was removed long ago, attempts, and a start that was not carried out. */
function years(there: RunId): readonly KeeperEvent[] {
  const now = Date.now();
  const at = (hoursAgo: number): string => new Date(now - hoursAgo * 3_600_000).toISOString();
  const events: KeeperEvent[] = [
    { type: 'schedule-seen', at: at(20_000), schedule: NEAR },
    { type: 'schedule-seen', at: at(20_000), schedule: GONE },
    { type: 'run-taken-up', at: at(20_000), runId: there, why: 'its process died', attempt: 4, done: 2 },
    {
      type: 'run-left',
      at: at(19_999),
      runId: there,
      why: 'it ended 5 times without completing anything',
      done: 2,
    },
    { type: 'run-taken-up', at: at(20_000), runId: id(99_999), why: 'its process died', attempt: 1, done: 0 },
    { type: 'loops-taken-up', at: at(5), since: 'x', attempt: 2, done: 1 },
  ];
  for (let hour = 3000; hour >= 1; hour -= 1) {
    events.push({ type: 'start-due', at: at(hour), schedule: NEAR, due: at(hour), runId: id(hour) });
    if (hour > 1) events.push({ type: 'run-begun', at: at(hour), runId: id(hour) });
  }
  return events;
}

async function workspaceWithJournal(): Promise<{ workspace: Workspace; events: readonly KeeperEvent[] }> {
  const workspace = new Workspace({
    'a.yaml': 'name: a\nsteps: [{name: A, command: [bash, -c, "echo a >> ran"]}]\n',
  });
  expect((await workspace.run(['run', 'a.yaml', '--quiet', '--queue'])).exitCode).toBe(0);
  const [{ run_id }] = JSON.parse(workspace.read('.orchestrate/keeper/queue.json')).runs;
  // Its folder stands for a run that exists.
  const there = id(77_777);
  workspace.write({ [`.orchestrate/runs/${there}/journal.jsonl`]: '' });
  const events = years(there);
  createJournal(path.join(workspace.folder, JOURNAL), events.map(asRecord)).close();
  expect(run_id).toBeDefined();
  return { workspace, events };
}

/** What counts, in the order of names. */
function told(record: KeeperRecord): object {
  const { schedules, open, takenUp, left, loops } = record;
  return {
    near: schedules.get(NEAR),
    runs: record.runsOf(NEAR),
    open: [...open].filter(([runId]) => runId === id(1)),
    takenUp: takenUp.get(id(77_777)),
    left: left.get(id(77_777)),
    loops,
  };
}

function isCompleted(workspace: Workspace): boolean {
  return workspace.hasState() && workspace.state().status === 'completed';
}

function size(workspace: Workspace): number {
  return fs.statSync(path.join(workspace.folder, JOURNAL)).size;
}

describe('a journal of two years', () => {
  it('is replaced by a summary that says the same, without what no longer exists', async () => {
    const { workspace, events } = await workspaceWithJournal();
    const before = new KeeperRecord();
    for (const event of events) before.apply(event);
    const bytes = size(workspace);
    expect(bytes).toBeGreaterThan(256 * 1024);
    const keeper = workspace.start(['keep']);
    await until(() => isCompleted(workspace));
    keeper.child.kill('SIGTERM');
    await keeper.ended;
    expect(size(workspace)).toBeLessThan(bytes / 50);
    const { record, damage } = readKeeperRecord(workspace.folder);
    expect(damage).toBeUndefined();
    // Its schedule is gone, so the recorded start is refused; all else is as it was.
    expect({ ...told(record), near: undefined, open: undefined }).toEqual({
      ...told(before),
      ...{ near: undefined, open: undefined },
    });
    expect(record.schedules.get(NEAR)).toMatchObject({ lastRun: id(1), lastSkip: { why: 'refused' } });
    expect(record.schedules.has(GONE)).toBe(false);
    expect(record.takenUp.has(id(99_999))).toBe(false);
  });

  it.each([MOMENTS[0], MOMENTS[1]])('survives a kill %s the replacement', async (when) => {
    const { workspace } = await workspaceWithJournal();
    const before = told(readKeeperRecord(workspace.folder).record);
    const killed = await workspace.run(['keep'], {
      env: killAt({ when, kind: 'rename', number: 1 }),
    });
    expect(killed.signal).toBe('SIGKILL');
    expect(told(readKeeperRecord(workspace.folder).record)).toEqual(before);
    const keeper = workspace.start(['keep']);
    await until(() => isCompleted(workspace));
    keeper.child.kill('SIGTERM');
    await keeper.ended;
    expect(workspace.read('ran')).toBe('a\n');
    expect(size(workspace)).toBeLessThan(20_000);
  });
});
