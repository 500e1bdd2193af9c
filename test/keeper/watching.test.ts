/** What the keeper does not read again and again: runs may have journals of hundreds of megabytes. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { RunWatch } from '../../src/keeper/runs.ts';
import { repeatSteps, TWO_STEPS } from '../rig/large-run.ts';
import { until, Workspace } from '../rig/orchestrate.ts';

const WAITS =
  'name: waits\nkeep: never\nsteps:\n  - { name: Release, approve: { message: "Release it?", choices: [yes] } }\n';
const RESUMED =
  'name: resumed\nsteps:\n  - { name: Release, approve: { message: "Release it?", choices: [yes] } }\n' +
  '  - { name: Hold, command: [bash, -c, "touch begun; until [ -e up ]; do sleep 0.02; done"] }\n';

/** Keeps the size and the time, so that only a reader sees it. */
function damageUnseen(file: string): void {
  const { atime, mtime, size } = fs.statSync(file);
  const opened = fs.openSync(file, 'r+');
  fs.writeSync(opened, Buffer.alloc(size, 'x'), 0, size, 0);
  fs.closeSync(opened);
  fs.utimesSync(file, atime, mtime);
}

it('a run without a process is read again only after it has changed', async () => {
  const workspace = new Workspace({ 'waits.yaml': WAITS });
  await workspace.run(['run', 'waits.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const journal = path.join(workspace.runFolder(), 'journal.jsonl');
  // As after a kill, its view is not up to date.
  fs.rmSync(path.join(workspace.runFolder(), 'state.json'));
  const whole = new Date(Math.floor(Date.now() / 1000) * 1000 - 5000);
  fs.utimesSync(journal, whole, whole);
  const watch = new RunWatch(workspace.folder);
  const look = async () =>
    (await watch.look()).idle.map((run) => [run.runId, run.state.status, run.isNeverKept]);
  expect(await look()).toEqual([[runId, 'waiting', true]]);
  damageUnseen(journal);
  expect(await look()).toEqual([[runId, 'waiting', true]]);
  fs.appendFileSync(journal, 'x');
  expect(await look()).toEqual([]);
});

it('a lock that cannot be read does not hide what the run is', async () => {
  const workspace = new Workspace({ 'waits.yaml': WAITS });
  await workspace.run(['run', 'waits.yaml', '--quiet']);
  fs.mkdirSync(path.join(workspace.runFolder(), 'lock'));
  const { alive, idle } = await new RunWatch(workspace.folder).look();
  expect([alive, idle.map(({ state }) => state.status)]).toEqual([0, ['waiting']]);
});

it('a journal that cannot be opened for a moment is read again, although nothing has changed', async () => {
  const workspace = new Workspace({ 'waits.yaml': WAITS });
  await workspace.run(['run', 'waits.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const watch = new RunWatch(workspace.folder);
  const look = async () => (await watch.look()).idle.map((run) => [run.runId, run.state.status]);
  const open = fs.openSync;
  const refusing = vi.spyOn(fs, 'openSync').mockImplementation((file, ...how) => {
    if (String(file).endsWith('journal.jsonl')) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
    return open(file, ...how);
  });
  expect(await look()).toEqual([]);
  refusing.mockRestore();
  expect(await look()).toEqual([[runId, 'waiting']]);
});

it('a run with a large journal is read in slices, so that others are answered meanwhile', async () => {
  const workspace = new Workspace({ 'two.yaml': TWO_STEPS });
  await workspace.run(['run', 'two.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  repeatSteps(workspace.runFolder(), { steps: 12_000, failed: 7 });
  const journal = path.join(workspace.runFolder(), 'journal.jsonl');
  // As after a kill, it has no end.
  const lines = fs.readFileSync(journal, 'utf8').split('\n');
  const end = lines.findIndex((line) => line.includes('"type":"run-ended"'));
  fs.writeFileSync(journal, `${lines.slice(0, end).join('\n')}\n`);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const { idle } = await new RunWatch(workspace.folder).look();
  clearInterval(timer);
  expect(idle.map((run) => [run.runId, run.state.status])).toEqual([[runId, 'interrupted']]);
  expect(idle[0]?.state.totals).toMatchObject({ steps_completed: 11_999, steps_failed: 1 });
  expect(turns).toBeGreaterThan(3);
});

it.runIf(process.platform === 'linux')('a run that was resumed does not wake the keeper', async () => {
  const workspace = new Workspace({ 'resumed.yaml': RESUMED });
  await workspace.run(['run', 'resumed.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const keeper = workspace.start(['keep']);
  const inode = fs.statSync(workspace.runFolder()).ino.toString(16);
  const isWatched = () => {
    const folder = `/proc/${keeper.child.pid}/fdinfo`;
    const texts = fs.readdirSync(folder).map((fd) => {
      try {
        return fs.readFileSync(path.join(folder, fd), 'utf8');
      } catch {
        // Closed meanwhile.
        return '';
      }
    });
    return texts.some((text) => text.includes(` ino:${inode} `));
  };
  await until(isWatched);
  await workspace.run(['approve', runId, 'Release', '--choose', 'yes']);
  await until(() => workspace.has('begun'));
  await until(() => !isWatched());
  workspace.write({ up: '' });
  await until(() => workspace.hasState(runId) && workspace.state(runId).status === 'completed');
});
