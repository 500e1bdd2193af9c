import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveRuns } from '../../src/operations/live/live-runs.ts';
import { until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

// Without their regular look, which is a report too.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

const closing: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) close();
});

/** The folder of the runs, and everything that was reported about it: by the system, and by `LiveRuns`. */
async function watched() {
  const workspace = temporaryFolder();
  const folder = path.join(workspace, '.orchestrate', 'runs');
  fs.mkdirSync(folder, { recursive: true });
  const seen = { names: new Set<string>(), changes: 0 };
  const runs = new LiveRuns({ workspace }, () => {
    seen.changes += 1;
  });
  runs.watch();
  const watcher = fs.watch(folder, (_event, name) => seen.names.add(name ?? ''));
  closing.push(
    () => watcher.close(),
    () => runs.rest(),
  );
  await runs.follow();
  const write = async (name: string): Promise<void> => {
    fs.writeFileSync(path.join(folder, name), '');
    await until(() => seen.names.has(name));
  };
  return { runs, seen, write };
}

describe('runs that are watched', () => {
  it('report the first of many changes, and the next one after they were looked at', async () => {
    const { runs, seen, write } = await watched();
    for (let i = 0; i < 20; i += 1) await write(`first-${i}`);
    expect(seen.changes).toBe(1);
    await runs.follow();
    await write('second');
    expect(seen.changes).toBe(2);
    await runs.follow();
    await write('third');
    expect(seen.changes).toBe(3);
  });

  it('do not report the view of a run, and stay watched after it', async () => {
    const { seen, write } = await watched();
    await write('state.json');
    await write('.state.json.~1-2.tmp');
    expect(seen.changes).toBe(0);
    await write('journal.jsonl');
    expect(seen.changes).toBe(1);
  });
});
