import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replaceFile, sweepTemporaries } from '../../src/store/atomic-write.ts';
import { processStartTime } from '../../src/store/process-identity.ts';
import { temporaryPath } from '../../src/store/temporary-name.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const folder = folderForEach();
const target = () => join(folder.path, 'state.json');

it('replaces a file as a whole, and creates a missing one', () => {
  replaceFile(target(), 'first');
  expect(fs.readFileSync(target(), 'utf8')).toBe('first');
  replaceFile(target(), Buffer.from('second €'));
  expect(fs.readFileSync(target(), 'utf8')).toBe('second €');
  expect(fs.readdirSync(folder.path)).toEqual(['state.json']);
});

it('creates private files by default', () => {
  replaceFile(target(), 'x');
  expect(fs.statSync(target()).mode & 0o777).toBe(0o600);
  replaceFile(target(), 'x', { mode: 0o644 });
  expect(fs.statSync(target()).mode & 0o777).toBe(0o644 & ~process.umask());
});

it('syncs the contents before the new name, and the folder after it', () => {
  const calls: string[] = [];
  const { fsyncSync, renameSync } = fs;
  fs.fsyncSync = (fd) => {
    calls.push(fs.fstatSync(fd).isDirectory() ? 'sync folder' : 'sync file');
    fsyncSync(fd);
  };
  fs.renameSync = (from, to) => {
    calls.push('rename');
    renameSync(from, to);
  };
  try {
    replaceFile(target(), 'x');
  } finally {
    Object.assign(fs, { fsyncSync, renameSync });
  }
  expect(calls).toEqual(['sync file', 'rename', 'sync folder']);
});

it.each(['writevSync', 'fsyncSync', 'renameSync'] as const)(
  'leaves the old file and no other if %s fails',
  (name) => {
    replaceFile(target(), 'old');
    const original = fs[name];
    Object.assign(fs, {
      [name]: () => {
        throw Object.assign(new Error('disk'), { code: 'ENOSPC' });
      },
    });
    try {
      expect(() => replaceFile(target(), 'new')).toThrow('disk');
    } finally {
      Object.assign(fs, { [name]: original });
    }
    expect(fs.readFileSync(target(), 'utf8')).toBe('old');
    expect(fs.readdirSync(folder.path)).toEqual(['state.json']);
  },
);

it('writes everything even if the disk accepts it in pieces', () => {
  const original = fs.writevSync;
  fs.writevSync = (fd, [bytes]) => original(fd, [(bytes as Buffer).subarray(0, 3)]);
  try {
    replaceFile(target(), 'in several pieces');
  } finally {
    fs.writevSync = original;
  }
  expect(fs.readFileSync(target(), 'utf8')).toBe('in several pieces');
});

it('removes leftovers of dead processes, and nothing that is being written', async () => {
  const mine = temporaryPath(target());
  fs.writeFileSync(mine, 'being written');
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'spawn');
  const startTime = processStartTime(child.pid ?? 0) ?? '1';
  await once(child, 'exit');
  const [, place, boot] = /~([0-9a-f]{8})-([0-9a-f]{8})/.exec(mine) ?? [];
  const dead = `.state.json.~${place}-${boot}-${child.pid}-${startTime}-00000000.tmp`;
  const elsewhere = `.state.json.~00000000-${boot}-${child.pid}-${startTime}-00000000.tmp`;
  const sameIdOfEarlier = `.state.json.~${place}-${boot}-${process.pid}-1-00000000.tmp`;
  const notOurs = '.state.json.tmp';
  for (const name of [dead, elsewhere, sameIdOfEarlier, notOurs])
    fs.writeFileSync(join(folder.path, name), '');
  expect(sweepTemporaries(folder.path)).toBe(2);
  expect(fs.readdirSync(folder.path).map((name) => join(folder.path, name))).toEqual(
    expect.arrayContaining([mine, join(folder.path, elsewhere), join(folder.path, notOurs)]),
  );
  expect(fs.readdirSync(folder.path)).toHaveLength(3);
});
