/** A hub in which another git is writing at the same moment: its refs are locked for a while. */
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Clone } from '../../src/git/hub/clone.ts';
import { deleteRefs, forgetRefs, localCopy, moveRefs } from '../../src/git/hub/hub.ts';
import { cloneOf, git, makeCheckout, makeHub, must, refsIn, SIGNAL } from './hub-site.ts';

const ONE = 'refs/orchestrate/run/one';
const OTHER = 'refs/orchestrate/run/other';
const identity = ['-c', 'user.name=A', '-c', 'user.email=a@b'];

/** A clone with two commits, whose hub has the first of them at `ONE` and `OTHER`. */
async function busyHub() {
  const user = makeCheckout({ 'a.txt': 'a\n' });
  git(user, 'commit', '--quiet', '--allow-empty', '--message', 'second');
  const hub = makeHub();
  git(user, 'push', '--quiet', hub, `HEAD~1:${ONE}`, `HEAD~1:${OTHER}`);
  const clone = await cloneOf(hub);
  must(await clone.git(['fetch', '--quiet', user, 'HEAD']).then(() => ({ type: 'ok', value: true })));
  const [first, second] = ['HEAD~1', 'HEAD'].map((name) => git(user, 'rev-parse', name)) as [string, string];
  return { hub, clone: { ...clone, patience: { ms: 60_000, signal: SIGNAL } }, first, second };
}

/** Another git has `lock` until a push has failed because of it. Then it has changed the hub, if there is a `change`. */
function lockedOnce(clone: Clone, lock: string, change?: () => void): Clone & { pushes: number } {
  fs.writeFileSync(lock, '');
  const locked = {
    ...clone,
    pushes: 0,
    git: (async (argv, options) => {
      const end = await clone.git(argv, options);
      if (argv[0] !== 'push') return end;
      locked.pushes += 1;
      if (end.exitCode !== 0 && fs.existsSync(lock)) {
        fs.rmSync(lock);
        change?.();
      }
      return end;
    }) satisfies Clone['git'],
  };
  return locked;
}

describe('while another git writes to the hub', () => {
  it('refs are moved together as soon as it is done, although only one of them was locked', async () => {
    const { hub, clone, first, second } = await busyHub();
    const locked = lockedOnce(clone, join(hub, `${ONE}.lock`));
    const moves = [
      { ref: ONE, from: first, to: second },
      { ref: OTHER, to: second, isForced: true },
    ];
    expect(must(await moveRefs(locked, moves))).toBe(true);
    expect(locked.pushes).toBe(2);
    expect(git(hub, 'rev-parse', ONE, OTHER)).toBe(`${second}\n${second}`);
  });

  it('a ref that it has moved is not moved again', async () => {
    const { hub, clone, first, second } = await busyHub();
    const theirs = git(hub, ...identity, 'commit-tree', `${first}^{tree}`, '-m', 'theirs');
    const locked = lockedOnce(clone, join(hub, `${ONE}.lock`), () => git(hub, 'update-ref', ONE, theirs));
    expect(must(await moveRefs(locked, [{ ref: ONE, from: first, to: second }]))).toBe(false);
    expect(git(hub, 'rev-parse', ONE)).toBe(theirs);
  });

  it('refs are removed as soon as it is done', async () => {
    const { hub, clone } = await busyHub();
    const locked = lockedOnce(clone, join(hub, 'packed-refs.lock'));
    must(await deleteRefs(locked, 'refs/orchestrate/run/*'));
    expect(locked.pushes).toBe(2);
    expect(refsIn(hub)).toEqual([]);
  });

  it('refs of which it has removed some are removed', async () => {
    const { hub, clone } = await busyHub();
    const locked = lockedOnce(clone, join(hub, 'packed-refs.lock'), () => git(hub, 'update-ref', '-d', ONE));
    must(await deleteRefs(locked, 'refs/orchestrate/run/*'));
    expect(refsIn(hub)).toEqual([]);
  });
});

it('a hub in which nothing may be written is not asked again, and the failure says so', async () => {
  const { hub, clone, first, second } = await busyHub();
  let pushes = 0;
  const forbidden: Clone = {
    ...clone,
    // As a server says it that may not write there: the superuser of a test machine may write everywhere.
    git: async (argv, options) => {
      if (argv[0] !== 'push') return clone.git(argv, options);
      pushes += 1;
      const stderr = `remote: error: cannot lock ref '${ONE}': Unable to create '${hub}/${ONE}.lock': Permission denied
To ${hub}
 ! [remote rejected] ${second} -> ${ONE} (failed to update ref)
error: failed to push some refs to '${hub}'
`;
      return { exitCode: 1, stdout: '', stderr };
    },
  };
  const moved = await moveRefs(forbidden, [{ ref: ONE, from: first, to: second }]);
  expect(moved).toMatchObject({
    type: 'error',
    error: { message: expect.stringContaining('Permission denied') },
  });
  expect(pushes).toBe(1);
});

it('refs of a clone that another git is packing are removed when it is done', async () => {
  const { clone, first } = await busyHub();
  const lock = join(clone.commonDir, 'packed-refs.lock');
  git(clone.commonDir, 'update-ref', localCopy(ONE), first);
  fs.writeFileSync(lock, '');
  setTimeout(() => fs.rmSync(lock), 2_000);
  must(await forgetRefs(clone.git, 'refs/orchestrate/run/*'));
  expect(refsIn(clone.commonDir)).toEqual([]);
});
