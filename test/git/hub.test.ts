/** Files that travel through a hub: rules H1 to H4 of `git/hub/run-head.ts` and C1 to C3 of `git/hub/checkout.ts`. */
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { receiveFiles, sendFiles } from '../../src/git/hub/call-files.ts';
import { closeCheckout, openCheckout, saveCheckout } from '../../src/git/hub/checkout.ts';
import type { Clone } from '../../src/git/hub/clone.ts';
import { endAtHub, forgetAtHub, type HubCall, RunHead } from '../../src/git/hub/run-head.ts';
import { ok } from '../../src/model/result.ts';
import { temporaryPath } from '../../src/store/temporary-name.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';
import {
  cloneOf,
  fileIn,
  git,
  makeCheckout,
  makeHub,
  must,
  RUN,
  refsIn,
  SIGNAL,
  start,
  stateOf,
} from './hub-site.ts';

async function workOn(
  worker: Clone,
  call: HubCall,
  work: (workspace: string) => void,
  execution = 'worker-1',
) {
  const checkout = must(await openCheckout(worker, { call, prefix: '', signal: SIGNAL }));
  work(checkout.workspace);
  const saved = await saveCheckout(worker, checkout, { execution, message: `Step ${call.call}` });
  must(await closeCheckout(worker, checkout));
  return saved;
}

describe('a run that starts', () => {
  it('takes the files as they are: changed, untracked, deleted, binary, executable, linked, and ignored ones that are named', async () => {
    const hub = makeHub();
    const user = makeCheckout({ 'kept.txt': 'kept\n', 'changed.txt': 'old\n', 'gone.txt': 'gone\n' });
    writeFiles(user, {
      'changed.txt': 'new\n',
      'sub/new.txt': 'new\n',
      'a.secret': 's\n',
      'b.secret': 's\n',
    });
    writeFiles(user, { '.orchestrate/runs/x/journal.jsonl': '{}\n', 'node_modules/m/index.js': 'm\n' });
    fs.rmSync(join(user, 'gone.txt'));
    fs.writeFileSync(join(user, 'bytes.bin'), Buffer.from([0, 255, 13, 10, 128, 0]));
    fs.writeFileSync(join(user, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    fs.symlinkSync('kept.txt', join(user, 'link'));
    git(user, 'add', 'sub/new.txt');
    const before = stateOf(user);
    const started = must(await start(user, hub, ['a.secret']));
    expect(stateOf(user)).toEqual(before);

    const worker = await cloneOf(hub);
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    expect(head.commit).toBe(started.start);
    const call = must(await head.offer('Build~1'));
    const { workspace } = must(await openCheckout(worker, { call, prefix: '', signal: SIGNAL }));
    expect(fs.readdirSync(workspace).sort()).toEqual(
      [
        '.git',
        '.gitignore',
        'a.secret',
        'bytes.bin',
        'changed.txt',
        'kept.txt',
        'link',
        'run.sh',
        'sub',
      ].sort(),
    );
    expect(fs.readFileSync(join(workspace, 'changed.txt'), 'utf8')).toBe('new\n');
    expect([...fs.readFileSync(join(workspace, 'bytes.bin'))]).toEqual([0, 255, 13, 10, 128, 0]);
    expect(fs.statSync(join(workspace, 'run.sh')).mode & 0o111).toBe(0o111);
    expect(fs.readlinkSync(join(workspace, 'link'))).toBe('kept.txt');
  });

  it('can be repeated with the same files, and never takes the place of another run', async () => {
    const hub = makeHub();
    const user = makeCheckout({ 'a.txt': 'a\n' });
    const first = must(await start(user, hub));
    expect(must(await start(user, hub))).toEqual(first);
    writeFiles(user, { 'a.txt': 'b\n' });
    expect(await start(user, hub)).toMatchObject({
      ...{ type: 'error', error: { message: `git found another run \`${RUN}\` in the hub` } },
    });
  });

  it('works from a shallow clone, and from a repository without commits', async () => {
    const user = makeCheckout({ 'a.txt': 'a\n' });
    git(user, 'commit', '--quiet', '--allow-empty', '--message', 'second');
    const shallow = temporaryFolder();
    git(shallow, 'clone', '--quiet', '--depth=1', `file://${user}`, 'clone');
    const hub = makeHub();
    const started = must(await start(join(shallow, 'clone'), hub));
    expect(fileIn(hub, started.start, 'a.txt')).toBe('a\n');
    const empty = temporaryFolder();
    git(empty, 'init', '--quiet');
    writeFiles(empty, { 'b.txt': 'b\n' });
    const other = makeHub();
    expect(fileIn(other, must(await start(empty, other)).start, 'b.txt')).toBe('b\n');
  });

  it('takes no file that is just being written beside another, also of a folder that is named', async () => {
    const hub = makeHub();
    const user = makeCheckout({ 'sub/a.txt': 'a\n' });
    writeFiles(user, { 'node_modules/m.js': 'm\n' });
    for (const path of ['b.txt', 'sub/a.txt', 'node_modules/m.js'])
      fs.writeFileSync(temporaryPath(join(user, path)), 'hal');
    const started = must(await start(user, hub, ['node_modules/**']));
    expect(git(hub, 'ls-tree', '-r', '--name-only', started.start).split('\n')).toEqual([
      '.gitignore',
      'node_modules/m.js',
      'sub/a.txt',
    ]);
  });
});

describe('calls on several workers', () => {
  it('are merged: fifty parallel items on files of their own', async () => {
    const hub = makeHub();
    const user = makeCheckout({ 'list.txt': 'first\n' });
    must(await start(user, hub));
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const workers = await Promise.all([cloneOf(hub), cloneOf(hub)]);
    const items = Array.from({ length: 50 }, (_, number) => number);
    const calls: HubCall[] = [];
    for (const item of items) calls.push(must(await head.offer(`Each/${item}~1`)));
    const taken: unknown[] = [];
    const waiting = [...calls.entries()];
    const slot = async (worker: Clone): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [item, call] = next;
        const work = (workspace: string) => writeFiles(workspace, { [`out/${item}.txt`]: `${item}\n` });
        taken[item] = must(await head.take(call, must(await workOn(worker, call, work))));
      }
    };
    await Promise.all(workers.flatMap((worker) => [slot(worker), slot(worker)]));
    expect(taken).toMatchObject(items.map((item) => ({ files: [`out/${item}.txt`] })));
    const names = git(hub, 'ls-tree', '-r', '--name-only', `refs/orchestrate/${RUN}/head`).split('\n');
    expect(names.filter((name) => name.startsWith('out/'))).toHaveLength(50);
  }, 240_000);

  it('that change, delete, link and make files executable are merged with what others did meanwhile', async () => {
    const hub = makeHub();
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
    const user = makeCheckout({ 'list.txt': lines.join(''), 'gone.txt': 'x\n', 'run.sh': 'echo\n' });
    must(await start(user, hub));
    const host = await cloneOf(hub);
    const head = must(await RunHead.open(host, RUN));
    const [one, two] = [must(await head.offer('One~1')), must(await head.offer('Two~1'))];
    const first = await workOn(await cloneOf(hub), one, (folder) => {
      writeFiles(folder, { 'list.txt': lines.with(1, 'one\n').join('') });
      fs.rmSync(join(folder, 'gone.txt'));
      fs.chmodSync(join(folder, 'run.sh'), 0o755);
    });
    const second = await workOn(await cloneOf(hub), two, (folder) => {
      writeFiles(folder, { 'list.txt': lines.with(18, 'two\n').join('') });
      fs.symlinkSync('list.txt', join(folder, 'link'));
    });
    must(await head.take(one, must(first)));
    expect(must(await head.take(two, must(second)))).toMatchObject({ files: ['link', 'list.txt'] });
    expect(fileIn(hub, head.commit, 'list.txt')).toBe(lines.with(1, 'one\n').with(18, 'two\n').join(''));
    expect(git(hub, 'ls-tree', '-r', '--format=%(objectmode) %(path)', head.commit).split('\n')).toEqual([
      ...['100644 .gitignore', '120000 link', '100644 list.txt', '100755 run.sh'],
    ]);
    expect(stateOf(user)).toMatchObject({ status: '', branch: 'refs/heads/main', refs: ['refs/heads/main'] });
  });

  it('that change the same lines are a conflict that names the files, and the head stays (H3)', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n', 'b.txt': 'b\n' }), hub));
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const [one, two] = [must(await head.offer('One~1')), must(await head.offer('Two~1'))];
    const worker = await cloneOf(hub);
    const first = await workOn(worker, one, (folder) =>
      writeFiles(folder, { 'a.txt': 'one\n', 'b.txt': 'one\n' }),
    );
    const second = await workOn(worker, two, (folder) =>
      writeFiles(folder, { 'a.txt': 'two\n', 'b.txt': 'two\n' }),
    );
    must(await head.take(one, must(first)));
    const after = head.commit;
    expect(await head.take(two, must(second))).toEqual({
      type: 'error',
      error: { type: 'conflict', files: ['a.txt', 'b.txt'], branch: expect.stringContaining(`${RUN}+Two-1`) },
    });
    expect(git(hub, 'rev-parse', `refs/orchestrate/${RUN}/head`)).toBe(after);
    const kept = refsIn(hub).filter((ref) => ref.includes('/kept/'));
    expect(kept.map((ref) => fileIn(hub, ref, 'a.txt'))).toEqual(['two\n']);
  });

  it('keep the commits that were made in a checkout, and the files of one whose HEAD is somewhere else (C2)', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const worker = await cloneOf(hub);
    const one = must(await head.offer('One~1'));
    const first = await workOn(worker, one, (folder) => {
      writeFiles(folder, { 'one.txt': '1\n' });
      git(folder, 'add', '--all');
      git(folder, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'of the agent');
      writeFiles(folder, { 'more.txt': '1\n' });
    });
    must(await head.take(one, must(first)));
    expect(git(hub, 'log', '--format=%s', head.commit).split('\n')).toContain('of the agent');
    const two = must(await head.offer('Two~1'));
    const second = await workOn(worker, two, (folder) => {
      git(folder, 'checkout', '--quiet', '--orphan', 'elsewhere');
      writeFiles(folder, { 'two.txt': '2\n' });
    });
    expect(must(await head.take(two, must(second)))).toMatchObject({ files: ['two.txt'] });
    expect(fileIn(hub, head.commit, 'more.txt')).toBe('1\n');
  });

  it('that change nothing push nothing', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const call = must(await head.offer('Test~1'));
    const work = must(
      await workOn(await cloneOf(hub), call, (at) => writeFiles(at, { 'node_modules/x': 'x' })),
    );
    expect(work.done).toBe(call.base);
    expect(must(await head.take(call, work))).toEqual({ commit: call.base, files: [] });
    expect(refsIn(hub).filter((ref) => ref.endsWith('/done'))).toEqual([]);
  });
});

describe('a host', () => {
  it('that has lost the run to another one is refused, and moves nothing (H1)', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const stale = must(await RunHead.open(await cloneOf(hub), RUN));
    const [one, two] = [must(await stale.offer('One~1')), must(await stale.offer('Two~1'))];
    const worker = await cloneOf(hub);
    const first = must(await workOn(worker, one, (at) => writeFiles(at, { 'one.txt': '1\n' })));
    const second = must(await workOn(worker, two, (at) => writeFiles(at, { 'two.txt': '2\n' })));
    const next = must(await RunHead.open(await cloneOf(hub), RUN));
    must(await next.take(one, first));
    expect(must(await stale.take(two, second))).toBe('lost');
    expect(must(await stale.take(two, { execution: 'worker-1', done: two.base }))).toBe('lost');
    expect(git(hub, 'rev-parse', `refs/orchestrate/${RUN}/head`)).toBe(next.commit);
  });

  it('that takes over gives a running call the files it has, and merges what was merged before only once (H2)', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const dead = must(await RunHead.open(await cloneOf(hub), RUN));
    const [one, two] = [must(await dead.offer('One~1')), must(await dead.offer('Two~1'))];
    const worker = await cloneOf(hub);
    const first = must(await workOn(worker, one, (at) => writeFiles(at, { 'a.txt': 'one\n' })));
    must(await dead.take(one, first));
    const next = must(await RunHead.open(await cloneOf(hub), RUN));
    expect(must(await next.offer('Two~1'))).toEqual(two);
    // Another call has changed the same line again: a second merge of the first would be a conflict.
    const three = must(await next.offer('Three~1'));
    const third = must(await workOn(worker, three, (at) => writeFiles(at, { 'a.txt': 'three\n' })));
    must(await next.take(three, third));
    expect(must(await next.take(one, first))).toEqual({ commit: next.commit, files: ['a.txt'] });
    expect(fileIn(hub, next.commit, 'a.txt')).toBe('three\n');
  });

  it('takes the work of the execution that was reported: one that comes back late changes nothing (C3)', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const call = must(await head.offer('One~1'));
    const [dead, alive] = await Promise.all([cloneOf(hub), cloneOf(hub)]);
    const late = must(await workOn(dead, call, (at) => writeFiles(at, { 'a.txt': 'late\n' }), 'worker-1'));
    const good = must(await workOn(alive, call, (at) => writeFiles(at, { 'a.txt': 'good\n' }), 'worker-2'));
    must(await head.take(call, good));
    expect(fileIn(hub, head.commit, 'a.txt')).toBe('good\n');
    expect(late.done).not.toBe(good.done);
    expect(await head.take(call, { ...good, done: late.done })).toMatchObject({ type: 'error' });
  });

  it('removes the calls at the end of a run, and everything when the run is forgotten', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const host = await cloneOf(hub);
    const head = must(await RunHead.open(host, RUN));
    const call = must(await head.offer('One~1'));
    must(
      await head.take(call, must(await workOn(await cloneOf(hub), call, (at) => writeFiles(at, { b: 'b' })))),
    );
    must(await endAtHub(host, RUN));
    expect(refsIn(hub)).toEqual([`refs/orchestrate/${RUN}/head`, `refs/orchestrate/${RUN}/start`]);
    expect(refsIn(host.commonDir).filter((ref) => ref.includes('/call/'))).toEqual([]);
    must(await forgetAtHub(host, RUN));
    expect(refsIn(hub)).toEqual([]);
  });
});

describe('a worker', () => {
  it('runs `setup` once for each base, also for calls at the same time, and its ignored files are in every checkout (C1)', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const worker = await cloneOf(hub);
    const ran: string[] = [];
    const run = async (workspace: string) => {
      ran.push(fs.readFileSync(join(workspace, 'a.txt'), 'utf8'));
      writeFiles(workspace, { 'node_modules/m/index.js': 'm\n', 'stray.txt': 'not ignored\n' });
      return ok(undefined);
    };
    const setup = { key: 'make', run };
    const open = async (call: HubCall) =>
      must(await openCheckout(worker, { call, prefix: '', setup, signal: SIGNAL }));
    const calls = await Promise.all(
      ['One~1', 'Two~1', 'Three~1'].map(async (name) => must(await head.offer(name))),
    );
    const checkouts = await Promise.all(calls.map(open));
    expect(ran).toEqual(['a\n']);
    for (const { workspace } of checkouts)
      expect(fs.readdirSync(workspace).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'node_modules']);
    const [checkout] = checkouts;
    const [call] = calls;
    if (checkout === undefined || call === undefined) throw new Error('there is no call');
    writeFiles(checkout.workspace, { 'a.txt': 'b\n' });
    must(await head.take(call, must(await saveCheckout(worker, checkout, { execution: 'w', message: 'm' }))));
    await open(must(await head.offer('Four~1')));
    expect(ran).toEqual(['a\n', 'b\n']);
  });

  it('tries `setup` again after it failed', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const worker = await cloneOf(hub);
    const call = must(await head.offer('One~1'));
    const failure = { type: 'exit', exitCode: 1 } as never;
    const failing = { key: 'x', run: async () => ({ type: 'error', error: failure }) as const };
    const input = { call, prefix: '', signal: SIGNAL };
    expect(await openCheckout(worker, { ...input, setup: failing })).toEqual({
      type: 'error',
      error: failure,
    });
    expect(
      await openCheckout(worker, { ...input, setup: { key: 'x', run: async () => ok(undefined) } }),
    ).toMatchObject({
      type: 'ok',
    });
  });

  it('works in the folder of the run, if that is not the top of the repository', async () => {
    const hub = makeHub();
    const user = makeCheckout({ 'sub/folder/a.txt': 'a\n', 'top.txt': 't\n' });
    const { prefix } = must(await start(join(user, 'sub/folder'), hub));
    const head = must(await RunHead.open(await cloneOf(hub), RUN));
    const worker = await cloneOf(hub);
    const call = must(await head.offer('One~1'));
    const checkout = must(await openCheckout(worker, { call, prefix, signal: SIGNAL }));
    expect(fs.readdirSync(checkout.workspace)).toEqual(['a.txt']);
    writeFiles(checkout.workspace, { 'a.txt': 'b\n', '.orchestrate/x': 'x' });
    const work = must(await saveCheckout(worker, checkout, { execution: 'w', message: 'm' }));
    expect(must(await head.take(call, work))).toMatchObject({ files: ['sub/folder/a.txt'] });
  });

  it('sends the logs of a call byte for byte, readable by their owner alone', async () => {
    const hub = makeHub();
    must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
    const host = await cloneOf(hub);
    const head = must(await RunHead.open(host, RUN));
    const call = must(await head.offer('One~1'));
    const [from, to] = [temporaryFolder(), temporaryFolder()];
    writeFiles(from, {
      'logs/One.stdout': 'a\r\nb\0\n',
      'prompts/001-One.txt': 'ü\n',
      'logs/Other.stdout': 'o',
    });
    fs.writeFileSync(join(from, 'logs/One.stderr'), Buffer.from([0, 255, 254]));
    const paths = ['logs/One.stdout', 'logs/One.stderr', 'prompts/001-One.txt'];
    must(await sendFiles(await cloneOf(hub), { call, execution: 'w' }, { folder: from, paths }));
    expect(must(await receiveFiles(host, { call, execution: 'w' }, to))).toEqual([...paths].sort());
    for (const path of paths) {
      expect(fs.readFileSync(join(to, path))).toEqual(fs.readFileSync(join(from, path)));
      expect(fs.statSync(join(to, path)).mode & 0o777).toBe(0o600);
    }
    expect(must(await receiveFiles(host, { call, execution: 'other' }, to))).toEqual([]);
  });

  it('says what failed if the hub cannot be reached', async () => {
    const hub = makeHub();
    const user = makeCheckout({ 'a.txt': 'a\n' });
    fs.rmSync(hub, { recursive: true });
    expect(await start(user, hub)).toMatchObject({
      type: 'error',
      error: { type: 'invalid-output', message: expect.stringContaining('git failed to reach the hub') },
    });
  });
});
