/** The files of a run's own folder, from the hub. */
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Git } from '../../src/git/git.ts';
import { sendFiles } from '../../src/git/hub/call-files.ts';
import { fetchRunFiles } from '../../src/git/hub/fetch-run-files.ts';
import type { RefMove } from '../../src/git/hub/hub.ts';
import { RunFolder } from '../../src/git/hub/run-folder.ts';
import { RunHead } from '../../src/git/hub/run-head.ts';
import { ok } from '../../src/model/result.ts';
import { temporaryPath } from '../../src/store/temporary-name.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';
import { cloneOf, git, gitIn, makeCheckout, makeHub, must, RUN, start } from './hub-site.ts';

describe('a machine that has not carried a run out', () => {
  it('gets the logs of its calls from the hub, of each call those of its last execution, and those of the run itself', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const worker = await cloneOf(hub);
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const from = temporaryFolder();
    const send = async (name: string, execution: string, text: string) => {
      const call = must(await head.offer(name));
      writeFiles(from, { [`logs/${name}.stdout`]: text });
      const files = { folder: from, paths: [`logs/${name}.stdout`] };
      must(await sendFiles(worker, { call, execution }, files));
    };
    await send('One~1', '2.second', 'second\n');
    await send('One~1', '1.first', 'first\n');
    await send('Two~1', '10.b', 'tenth\n');
    await send('Two~1', '9.a', 'ninth\n');
    const folder = join(temporaryFolder(), 'runs', RUN);
    const cache = join(temporaryFolder(), 'cache');
    const fetch = (runId: string) => fetchRunFiles({ address: hub, runId, folder, cache, gitIn });
    expect(must(await fetch(RUN))).toEqual(['logs/One~1.stdout', 'logs/Two~1.stdout']);
    expect(fs.readFileSync(join(folder, 'logs/One~1.stdout'), 'utf8')).toBe('second\n');
    expect(fs.readFileSync(join(folder, 'logs/Two~1.stdout'), 'utf8')).toBe('tenth\n');
    // What is there stays.
    writeFiles(folder, { 'logs/own.log': 'own\n' });
    await send('Three~1', '1.a', 'three\n');
    expect(must(await fetch(RUN))).toContain('logs/Three~1.stdout');
    expect(fs.readFileSync(join(folder, 'logs/own.log'), 'utf8')).toBe('own\n');
    // No file of the workspace comes with them.
    expect(git(join(cache, 'repository.git'), 'for-each-ref', '--format=%(refname)')).not.toMatch(
      /head|base|done/,
    );
    expect(must(await fetch('20260131T000000Z-zzz999'))).toEqual([]);
  });

  it('calls git as often for many calls as for one', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const worker = await cloneOf(hub);
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const from = temporaryFolder();
    let sent = 0;
    const sendUpTo = async (most: number) => {
      for (; sent < most; sent += 1) {
        const call = must(await head.offer(`Call${sent}~1`));
        const path = `logs/Call${sent}.stdout`;
        writeFiles(from, { [path]: `${sent}\n` });
        must(await sendFiles(worker, { call, execution: '1.a' }, { folder: from, paths: [path] }));
      }
    };
    const cache = join(temporaryFolder(), 'cache');
    const fetch = async () => {
      let calls = 0;
      const counted = (folder: string): Git => {
        const git = gitIn(folder);
        return (argv, options) => {
          calls += 1;
          return git(argv, options);
        };
      };
      const folder = join(temporaryFolder(), 'runs', RUN);
      const paths = must(await fetchRunFiles({ address: hub, runId: RUN, folder, cache, gitIn: counted }));
      const texts = paths.map((path) => fs.readFileSync(join(folder, path), 'utf8'));
      return { calls, texts: texts.toSorted() };
    };
    await sendUpTo(1);
    // The first one also makes the repository.
    await fetch();
    const one = await fetch();
    await sendUpTo(12);
    const twelve = await fetch();
    expect(twelve.calls).toBe(one.calls);
    expect(twelve.texts).toEqual(Array.from({ length: 12 }, (_, nth) => `${nth}\n`).toSorted());
  });
});

it('a file that is just being written is not brought to the hub with the others', async () => {
  const clone = await cloneOf(makeHub());
  const folder = temporaryFolder();
  writeFiles(folder, { 'diffs/a.patch': 'a\n', 'merges/b.json': '{}\n' });
  fs.writeFileSync(temporaryPath(join(folder, 'diffs/a.patch')), 'hal');
  const commits: string[] = [];
  const move = async (moves: readonly RefMove[]) => {
    commits.push(...moves.map(({ to }) => to));
    return ok(undefined);
  };
  must(await new RunFolder(clone, RUN, folder).bring('needed', move));
  expect(commits).toHaveLength(1);
  expect(git(clone.commonDir, 'ls-tree', '-r', '--name-only', commits[0] ?? '')).toBe(
    'diffs/a.patch\nmerges/b.json',
  );
});
