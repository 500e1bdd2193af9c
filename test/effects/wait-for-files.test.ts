import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WaitForFilesInput } from '../../src/effects/contracts.ts';
import { findFilesEffect } from '../../src/effects/find-files.ts';
import { waitForFiles } from '../../src/effects/wait-for-files.ts';
import { folderForEach } from '../rig/temporary-folder.ts';
import { effectContext, putFile } from './effect-site.ts';

const folder = folderForEach();
const at = (path: string) => join(folder.path, 'work', path);

/** A poll interval so long that only the watcher can have seen the file. */
const NEVER_POLLED = 10_000_000;

const input = (given: Partial<WaitForFilesInput> = {}): WaitForFilesInput => ({
  glob: 'inbox/qa/*.task',
  timeoutMs: 50_000_000,
  pollMs: NEVER_POLLED,
  minCount: 1,
  startedAt: new Date().toISOString(),
  ...given,
});

/** When this returns, the effect has searched once and set up its watchers. */
function waiting(
  { elapsedMs, ...given }: Partial<WaitForFilesInput> & { readonly elapsedMs?: number },
  signal?: AbortSignal,
) {
  const context = effectContext(folder.path, signal === undefined ? {} : { signal });
  return waitForFiles(input(given), elapsedMs === undefined ? context : { ...context, elapsedMs });
}

describe('waiting for files', () => {
  it('ends at once if they exist, and returns them sorted', async () => {
    putFile(at('inbox/qa/b.task'));
    putFile(at('inbox/qa/a.task'));
    expect(await waiting({ minCount: 2 })).toEqual({
      exitCode: 0,
      outcome: 'done',
      files: ['inbox/qa/a.task', 'inbox/qa/b.task'],
      waitDurationMs: expect.any(Number),
      pollCount: 1,
      timedOut: false,
    });
  });

  it('ends after its time limit, whatever the clock of the machine that started it said', async () => {
    const startedAt = new Date(Date.now() + 24 * 3600 * 1000).toISOString();
    const ended = await waiting({ startedAt, timeoutMs: 30, pollMs: 10 });
    expect(ended).toMatchObject({ exitCode: 124, timedOut: true });
    expect(ended.waitDurationMs).toBeGreaterThanOrEqual(30);
  });

  it('sees a renamed file at once', async () => {
    fs.mkdirSync(at('inbox/qa'), { recursive: true });
    const ended = waiting({});
    putFile(at('inbox/qa/a.tmp'));
    fs.renameSync(at('inbox/qa/a.tmp'), at('inbox/qa/a.task'));
    expect(await ended).toMatchObject({ exitCode: 0, files: ['inbox/qa/a.task'] });
  });

  it('sees files in folders that are created later', async () => {
    const ended = waiting({ glob: 'inbox/*/replies/*.task', minCount: 2 });
    putFile(at('inbox/qa/replies/1.task'));
    await new Promise((resolve) => setImmediate(resolve));
    putFile(at('inbox/dev/replies/2.task'));
    expect(await ended).toMatchObject({ files: ['inbox/dev/replies/2.task', 'inbox/qa/replies/1.task'] });
  });

  it('sees files of a folder that was removed and created again', async () => {
    fs.mkdirSync(at('inbox/qa'), { recursive: true });
    const ended = waiting({});
    fs.rmdirSync(at('inbox/qa'));
    await new Promise((resolve) => setImmediate(resolve));
    putFile(at('inbox/qa/a.task'));
    expect(await ended).toMatchObject({ exitCode: 0, files: ['inbox/qa/a.task'] });
  });

  it('waits for the requested number', async () => {
    fs.mkdirSync(at('inbox/qa'), { recursive: true });
    const ended = waiting({ minCount: 3 });
    for (const name of ['1', '2', '3']) {
      putFile(at(`inbox/qa/${name}.task`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await ended).files).toHaveLength(3);
  });

  it('finds them by polling if nothing can be watched', async () => {
    fs.mkdirSync(at('inbox/qa'), { recursive: true });
    const { watch } = fs;
    fs.watch = () => {
      throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' });
    };
    try {
      const ended = waiting({ pollMs: 5 });
      putFile(at('inbox/qa/a.task'));
      expect(await ended).toMatchObject({ exitCode: 0, files: ['inbox/qa/a.task'] });
    } finally {
      fs.watch = watch;
    }
  });

  it('fails with exit code 124 at the time limit', async () => {
    putFile(at('inbox/qa/a.task'));
    expect(await waiting({ timeoutMs: 20, minCount: 2 })).toEqual({
      exitCode: 124,
      outcome: 'timed-out',
      failure: {
        type: 'timed-out',
        afterMs: 20,
        waitedFor: { glob: 'inbox/qa/*.task', wanted: 2, found: 1 },
      },
      files: ['inbox/qa/a.task'],
      waitDurationMs: expect.any(Number),
      pollCount: expect.any(Number),
      timedOut: true,
    });
  });

  it('counts the time from its first start, and searches once more after a restart', async () => {
    const late = await waiting({ elapsedMs: 60_000, timeoutMs: 1000 });
    expect(late).toMatchObject({ exitCode: 124, timedOut: true, pollCount: 1 });
    expect(late.waitDurationMs).toBeGreaterThan(1000);
    putFile(at('inbox/qa/a.task'));
    expect(await waiting({ elapsedMs: 60_000, timeoutMs: 1000 })).toMatchObject({
      exitCode: 0,
      timedOut: false,
    });
  });

  it('stops with the reason of the abort, and leaves no watcher behind', async () => {
    const { watch } = fs;
    const open = new Set<fs.FSWatcher>();
    fs.watch = ((...parameters: Parameters<typeof watch>) => {
      const watcher = watch(...parameters);
      open.add(watcher);
      watcher.on('close', () => open.delete(watcher));
      return watcher;
    }) as typeof watch;
    try {
      const controller = new AbortController();
      const ended = waiting({}, controller.signal);
      expect(open.size).toBeGreaterThan(0);
      const reason = new Error('interrupted');
      controller.abort(reason);
      await expect(ended).rejects.toBe(reason);
      await new Promise((resolve) => setImmediate(resolve));
      expect(open.size).toBe(0);
    } finally {
      fs.watch = watch;
    }
  });

  it('refuses a pattern that leads outside', async () => {
    expect(await waiting({ glob: '../*' })).toMatchObject({
      exitCode: 2,
      outcome: 'unsafe-path',
      failure: { type: 'unsafe-path', path: '../*' },
    });
  });
});

describe('finding files', () => {
  it('returns matches in the order of the patterns', async () => {
    putFile(at('b/2'));
    putFile(at('b/1'));
    putFile(at('a'));
    expect(await findFilesEffect({ patterns: ['b/*', 'none', 'a'] }, effectContext(folder.path))).toEqual({
      matches: [['b/1', 'b/2'], [], ['a']],
    });
  });

  it('reports which pattern is unsafe', async () => {
    expect(await findFilesEffect({ patterns: ['a', '/etc/*'] }, effectContext(folder.path))).toMatchObject({
      failure: { type: 'unsafe-path', path: '/etc/*' },
    });
  });
});
