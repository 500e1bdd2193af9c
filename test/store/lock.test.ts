import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  acquireLock,
  type Lock,
  type LockOwner,
  processStartTime,
  readLock,
  sweepLocks,
  withLock,
} from '../../src/store/lock.ts';
import { ownIdentity, type ProcessIdentity } from '../../src/store/process-identity.ts';
import { lifeOf } from '../../src/store/process-life.ts';
import { until } from '../rig/orchestrate.ts';
import { folderForEach } from '../rig/temporary-folder.ts';
import { buildChild, type ChildProgram } from './child.ts';

const folder = folderForEach();
const lockPath = () => join(folder.path, 'lock');
const names = () => fs.readdirSync(folder.path).sort();

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('./lock-child.ts', import.meta.url);
});
afterAll(() => program.remove());

function acquired(): Lock {
  const result = acquireLock(lockPath());
  if (result.type === 'error') throw new Error(`held by ${result.error.owner.pid}`);
  return result.value;
}

/** The identity of a process of this machine that has certainly ended. */
async function deadOwner(nonce: string): Promise<LockOwner> {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error('no child');
  const startTime = processStartTime(pid) ?? 'unknown';
  await once(child, 'exit');
  return {
    ...ownIdentity(),
    pid,
    startTime,
    nonce: nonce.padStart(32, '0'),
    acquiredAt: '2026-01-31T00:00:00.000Z',
  };
}

function put(name: string, owner: LockOwner): void {
  fs.writeFileSync(join(folder.path, name), JSON.stringify(owner));
}

describe('a lock', () => {
  it('is held by one process, and free again when released', () => {
    const lock = acquired();
    expect(acquireLock(lockPath())).toMatchObject({
      type: 'error',
      error: { type: 'held', owner: lock.owner, path: lockPath() },
    });
    lock.release();
    expect(names()).toEqual([]);
    acquired().release();
  });

  it('names its owner', () => {
    const lock = acquired();
    expect(readLock(lockPath())?.owner).toEqual({
      pid: process.pid,
      startTime: processStartTime(process.pid),
      host: ownIdentity().host,
      bootId: ownIdentity().bootId,
      pidSpace: ownIdentity().pidSpace,
      machineId: ownIdentity().machineId,
      disk: lock.owner.disk,
      nonce: lock.owner.nonce,
      acquiredAt: lock.owner.acquiredAt,
    });
    expect(names()).toEqual(['lock']);
    lock.release();
  });

  it('that has another owner by now is not removed by a late release', () => {
    const first = acquired();
    fs.rmSync(lockPath());
    const second = acquired();
    first.release();
    expect(readLock(lockPath())?.nonce).toBe(second.owner.nonce);
    second.release();
  });

  it('of a dead process is taken over, and reports its previous owner', async () => {
    const dead = await deadOwner('d');
    put('lock', dead);
    const lock = acquired();
    expect(lock.tookOver).toEqual(dead);
    expect(names()).toEqual(['lock']);
    lock.release();
  });

  it('is stale if its pid was reused by another process', () => {
    const other: LockOwner = { ...ownIdentity(), startTime: '1', nonce: 'e'.repeat(32), acquiredAt: '' };
    put('lock', other);
    expect(acquired().tookOver).toEqual(other);
  });

  it('of a dead process is taken over even if the host was renamed', async () => {
    const dead = { ...(await deadOwner('d')), host: 'name-of-yesterday' };
    put('lock', dead);
    expect(acquired().tookOver).toEqual(dead);
  });

  it('of another machine stays held however old it is, and its last heartbeat is reported', async () => {
    put('lock', { ...(await deadOwner('d')), host: 'elsewhere', bootId: 'its own', machineId: 'its own' });
    const longAgo = new Date('2001-01-01T00:00:00.000Z');
    fs.utimesSync(lockPath(), longAgo, longAgo);
    expect(acquireLock(lockPath())).toMatchObject({
      type: 'error',
      error: {
        doubt: 'other-boot',
        owner: { host: 'elsewhere' },
        heartbeatAt: '2001-01-01T00:00:00.000Z',
      },
    });
  });

  it.each(['', '{', '{"pid":1}', '{"pid":1,"sta\0\0', '\0\0\0'])(
    'that contains %j, as a power loss may leave it, does not block',
    (text) => {
      fs.writeFileSync(lockPath(), text);
      const lock = acquired();
      expect(lock.tookOver).toBeUndefined();
      expect(readLock(lockPath())?.owner).toEqual(lock.owner);
      lock.release();
    },
  );

  it.each(['# yarn lockfile v1\n', '[]', '{"name": "mine"}', 'mine'])(
    'that contains %j was never a lock, and stays as it is',
    (text) => {
      const path = join(folder.path, 'mine.lock');
      fs.writeFileSync(path, text);
      expect(() => acquireLock(path)).toThrow('ENOTLOCK');
      sweepLocks(folder.path);
      expect(fs.readFileSync(path, 'utf8')).toBe(text);
      expect(names()).toEqual(['mine.lock']);
    },
  );

  it('is refused if a folder is in its place, and the folder stays', () => {
    const path = join(folder.path, 'mine.lock');
    fs.mkdirSync(path);
    expect(() => acquireLock(path)).toThrow('ENOTLOCK');
    sweepLocks(folder.path);
    expect(names()).toEqual(['mine.lock']);
  });

  it('removes only the tickets of heirs', async () => {
    put('lock', await deadOwner('d'));
    fs.writeFileSync(join(folder.path, 'lock.takeover.plan.md'), 'mine');
    acquired().release();
    expect(names()).toEqual(['lock.takeover.plan.md']);
  });

  it('sends heartbeats on request', async () => {
    const result = acquireLock(lockPath(), { heartbeatMs: 5 });
    if (result.type === 'error') throw new Error('held');
    const longAgo = new Date('2001-01-01T00:00:00.000Z');
    fs.utimesSync(lockPath(), longAgo, longAgo);
    await until(() => (readLock(lockPath())?.heartbeatAt ?? '') > longAgo.toISOString());
    result.value.release();
  });
});

describe('taking over', () => {
  it('leaves the lock to an heir that is already taking over', async () => {
    const dead = await deadOwner('d');
    put('lock', dead);
    const heir: LockOwner = { ...ownIdentity(), nonce: 'a'.repeat(32), acquiredAt: '' };
    put(`lock.takeover.${dead.nonce}`, heir);
    expect(acquireLock(lockPath())).toMatchObject({ type: 'error', error: { owner: heir } });
    expect(readLock(lockPath())?.nonce).toBe(dead.nonce);
  });

  it('follows heirs that died before they replaced the lock', async () => {
    const [dead, first, second] = await Promise.all([deadOwner('d'), deadOwner('1'), deadOwner('2')]);
    put('lock', dead);
    put(`lock.takeover.${dead.nonce}`, first);
    put(`lock.takeover.${first.nonce}`, second);
    expect(acquired().tookOver).toEqual(dead);
    expect(names()).toEqual(['lock']);
  });

  it('finds an heir that died just after it replaced the lock', async () => {
    const [dead, first] = await Promise.all([deadOwner('d'), deadOwner('1')]);
    put('lock', first);
    put(`lock.takeover.${dead.nonce}`, first);
    expect(acquired().tookOver).toEqual(first);
    expect(names()).toEqual(['lock']);
  });

  it('ignores a ticket that a power loss has emptied', async () => {
    const dead = await deadOwner('d');
    put('lock', dead);
    fs.writeFileSync(join(folder.path, `lock.takeover.${dead.nonce}`), '');
    expect(acquired().tookOver).toEqual(dead);
    expect(names()).toEqual(['lock']);
  });

  it('is won by exactly one of many processes, round after round', async () => {
    const children = Array.from({ length: 60 }, () => program.start(lockPath()));
    for (const child of children) expect(await child.line()).toBe('ready');
    try {
      let [owner, ...rest] = children;
      owner?.tell('acquire');
      expect(await owner?.line()).toBe('won free');
      for (let round = 0; round < 12 && owner !== undefined; round += 1) {
        const deadPid = owner.pid;
        await owner.kill();
        for (const child of rest) child.tell('acquire');
        const answers = await Promise.all(rest.map((child) => child.line()));
        const winners = rest.filter((_, index) => answers[index]?.startsWith('won'));
        expect(winners).toHaveLength(1);
        expect(answers.filter((answer) => answer === `won ${deadPid}`)).toHaveLength(1);
        expect(readLock(lockPath())?.owner?.pid).toBe(winners[0]?.pid);
        expect(names()).toEqual(['lock']);
        owner = winners[0];
        rest = rest.filter((child) => child !== owner);
      }
    } finally {
      await Promise.all(children.map((child) => child.kill()));
    }
  });

  it('is won by at most one while contenders are killed meanwhile', async () => {
    const survivor = program.start(lockPath());
    await survivor.line();
    for (let round = 0; round < 10; round += 1) {
      put('lock', await deadOwner(`d${round}`));
      const contenders = Array.from({ length: 6 }, () => program.start(lockPath()));
      for (const each of contenders) await each.line();
      for (const each of contenders) each.tell('acquire');
      await Promise.all(contenders.map((each, index) => (index % 2 === 0 ? each.kill() : each.line())));
      await Promise.all(contenders.map((each) => each.kill()));
      survivor.tell('acquire');
      expect(await survivor.line()).toMatch(/^won \d+$/);
      survivor.tell('release');
      expect(await survivor.line()).toBe('released');
      expect(names()).toEqual([]);
    }
    await survivor.kill();
  });
});

function life(known: Partial<ProcessIdentity>): string {
  return lifeOf({ ...ownIdentity(), ...known }, { folder: folder.path, lastSignAt: 0 }).type;
}

describe('a process', () => {
  it('is identified by its start time, whatever the name of its program', async () => {
    const program = join(folder.path, 'a) b (c');
    fs.copyFileSync('/bin/sleep', program);
    const child = spawn(program, ['1000'], {
      stdio: 'ignore',
    });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const startTime = processStartTime(pid);
    expect(startTime).toMatch(/^\d+$/);
    expect(life({ pid, startTime: startTime ?? '' })).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processStartTime(pid)).toBeUndefined();
    expect(life({ pid, startTime: startTime ?? '' })).toBe('dead');
  });

  it('that another user started counts as alive', () => {
    expect(life({ pid: 1, startTime: processStartTime(1) ?? '' })).toBe('alive');
  });
});

describe('a lock on a disk that refuses to remove files', () => {
  it('is acquired even if its temporary file cannot be removed', () => {
    const { unlinkSync } = fs;
    fs.unlinkSync = () => {
      fs.unlinkSync = unlinkSync;
      throw Object.assign(new Error('refused'), { code: 'EROFS' });
    };
    const lock = acquired();
    expect(readLock(lockPath())?.owner).toEqual(lock.owner);
    lock.release();
    expect(names().filter((name) => !name.endsWith('.tmp'))).toEqual([]);
  });

  it('still counts as released: its own process can acquire it again', () => {
    const lock = acquired();
    const { unlinkSync } = fs;
    fs.unlinkSync = () => {
      fs.unlinkSync = unlinkSync;
      throw Object.assign(new Error('refused'), { code: 'EACCES' });
    };
    expect(() => lock.release()).toThrow('refused');
    expect(names()).toEqual(['lock']);
    const again = acquired();
    expect(again.tookOver).toEqual(lock.owner);
    again.release();
    expect(names()).toEqual([]);
  });
});

describe('with a lock', () => {
  it('waits until the lock is free', async () => {
    const lock = acquired();
    let done = false;
    const waiting = withLock(lockPath(), {}, () => {
      done = true;
      return 'value';
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    lock.release();
    expect(await waiting).toEqual({ type: 'ok', value: 'value' });
    expect(names()).toEqual([]);
  });

  it('reports the holder at the time limit', async () => {
    const lock = acquired();
    expect(await withLock(lockPath(), { waitMs: 5 }, () => 1)).toMatchObject({
      type: 'error',
      error: { owner: lock.owner },
    });
    lock.release();
  });

  it('restarts the wait when the lock passes to another owner', async () => {
    let lock = acquired();
    const waiting = withLock(lockPath(), { waitMs: 5 }, () => 'my turn');
    for (const begunAt = performance.now(); performance.now() < begunAt + 100; ) {
      await new Promise((resolve) => setImmediate(resolve));
      lock.release();
      lock = acquired();
    }
    lock.release();
    expect(await waiting).toEqual({ type: 'ok', value: 'my turn' });
  });

  it('stops waiting with the reason of the abort', async () => {
    const lock = acquired();
    const controller = new AbortController();
    const waiting = withLock(lockPath(), { signal: controller.signal }, () => 1);
    const reason = new Error('interrupted');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    lock.release();
  });

  it('releases it if the action throws', async () => {
    await expect(
      withLock(lockPath(), {}, () => {
        throw new Error('a bug');
      }),
    ).rejects.toThrow('a bug');
    expect(names()).toEqual([]);
  });
});
