import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type StatusChange, StatusWatch } from '../../src/iterate/workspace/watch-status.ts';
import { until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

function watched(
  options: {
    readonly before?: object;
    readonly pollMs?: number;
    readonly debounceMs?: number;
    readonly onlyMeaningful?: boolean;
  } = {},
) {
  const folder = temporaryFolder();
  const file = path.join(folder, '.status.json');
  if (options.before !== undefined) fs.writeFileSync(file, JSON.stringify(options.before));
  const changes: StatusChange[] = [];
  const watch = new StatusWatch({
    path: file,
    debounceMs: options.debounceMs ?? 5,
    notifyOnlyMeaningful: options.onlyMeaningful ?? true,
    pollMs: options.pollMs ?? 1000,
    onChange: (change) => changes.push(change),
  });
  onTestFinished(() => watch.close());
  return { folder, file, changes, watch };
}

describe('the status watch', () => {
  it('sees a file that appears late, is replaced by rename and is written in place', async () => {
    const { folder, file, changes } = watched();
    const replace = (value: object): void => {
      fs.writeFileSync(path.join(folder, 'new'), JSON.stringify(value));
      fs.renameSync(path.join(folder, 'new'), file);
    };
    replace({ complete: false, progress: { completed: 2, total: 9 } });
    await until(() => changes.length === 1);
    replace({ complete: false, progress: { completed: 5, total: 9 } });
    await until(() => changes.length === 2);
    fs.writeFileSync(file, JSON.stringify({ complete: true, progress: { completed: 9, total: 9 } }));
    await until(() => changes.length === 3);
    expect(changes.map((change) => [change.status.complete, change.completedDelta])).toEqual([
      [false, 2],
      [false, 3],
      [true, 4],
    ]);
  });

  it('reports changes within its interval together, with the whole difference', async () => {
    const { file, changes, watch } = watched({ pollMs: 10, debounceMs: 3_600_000 });
    for (const completed of [1, 3, 7]) {
      const text = JSON.stringify({ complete: false, progress: { completed, total: 9 } });
      const reads = countReads(text);
      fs.writeFileSync(file, text);
      await until(() => reads() >= 3);
    }
    expect(changes).toEqual([]);
    watch.close();
    expect(changes.map(({ completedDelta }) => completedDelta)).toEqual([7]);
  });

  it('counts from the content before it started', async () => {
    const { file, changes } = watched({
      before: { complete: false, progress: { completed: 30, total: 60 } },
    });
    fs.writeFileSync(file, JSON.stringify({ complete: false, progress: { completed: 35, total: 60 } }));
    await until(() => changes.length === 1);
    expect(changes[0]?.completedDelta).toBe(5);
  });

  it('waits for the rest of a half-written file', async () => {
    const { file, changes } = watched({ pollMs: 10, onlyMeaningful: false });
    const half = '{"complete": fal';
    const reads = countReads(half);
    fs.writeFileSync(file, half);
    // At least one of three reads was to find the current content.
    await until(() => reads() >= 3);
    expect(changes).toEqual([]);
    fs.writeFileSync(file, '{"complete": false, "summary": "whole"}');
    await until(() => changes.length === 1);
    expect(changes[0]?.status.summary).toBe('whole');
  });

  it('reports a pending change when it is closed, and never a timestamp-only change', () => {
    const { file, changes, watch } = watched({ before: { complete: false, lastUpdated: 'a' } });
    fs.writeFileSync(file, JSON.stringify({ complete: false, lastUpdated: 'b' }));
    watch.close();
    expect(changes).toEqual([]);
    const other = watched({ before: { complete: false, lastUpdated: 'a' } });
    fs.writeFileSync(other.file, JSON.stringify({ complete: true, lastUpdated: 'b' }));
    other.watch.close();
    expect(other.changes.map((change) => change.status.complete)).toEqual([true]);
  });

  it('finds a change by polling if the system has no file watches', async () => {
    const folder = temporaryFolder();
    const changes: StatusChange[] = [];
    // A folder that is created later cannot be watched from the start.
    const watch = new StatusWatch({
      path: path.join(folder, 'later', '.status.json'),
      debounceMs: 1,
      notifyOnlyMeaningful: true,
      pollMs: 10,
      onChange: (change) => changes.push(change),
    });
    onTestFinished(() => watch.close());
    fs.mkdirSync(path.join(folder, 'later'));
    fs.writeFileSync(path.join(folder, 'later', '.status.json'), '{"complete": true}');
    await until(() => changes.length === 1);
    expect(changes[0]?.status.complete).toBe(true);
  });
});

/** How often a file with this text was read. */
function countReads(text: string): () => number {
  const { readFileSync } = fs;
  let count = 0;
  const counting = (...parameters: Parameters<typeof readFileSync>) => {
    const read = readFileSync(...parameters);
    if (String(read) === text) count += 1;
    return read;
  };
  fs.readFileSync = counting as typeof readFileSync;
  onTestFinished(() => {
    fs.readFileSync = readFileSync;
  });
  return () => count;
}
