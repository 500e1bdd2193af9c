import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasMoved, moveIntoFolder, type PlannedMove } from '../../src/store/move-into-folder.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const folder = folderForEach();

it('reports the planned move before it is made', () => {
  const from = join(folder.path, 'a.txt');
  fs.writeFileSync(from, 'x');
  fs.mkdirSync(join(folder.path, 'to'));
  const plans: PlannedMove[] = [];
  const to = moveIntoFolder(from, join(folder.path, 'to'), (planned) => {
    plans.push(planned);
    expect(fs.existsSync(planned.to)).toBe(false);
    expect(hasMoved(planned)).toBe(false);
  });
  expect(plans.map((planned) => planned.to)).toEqual([to]);
  expect(plans.every(hasMoved)).toBe(true);
});

it('uses the next name if another process takes the first one meanwhile', () => {
  const from = join(folder.path, 'a.txt');
  fs.writeFileSync(from, 'mine');
  const target = join(folder.path, 'to');
  fs.mkdirSync(target);
  const to = moveIntoFolder(from, target, (planned) => {
    if (planned.to === join(target, 'a.txt')) fs.writeFileSync(planned.to, 'theirs');
  });
  expect(to).toBe(join(target, 'a-2.txt'));
  expect(fs.readFileSync(join(target, 'a.txt'), 'utf8')).toBe('theirs');
  expect(fs.readFileSync(to, 'utf8')).toBe('mine');
});

const OTHER = '/dev/shm';
const isOtherDevice = fs.existsSync(OTHER) && fs.statSync(OTHER).dev !== fs.statSync(os.tmpdir()).dev;

it.runIf(isOtherDevice)('moves across file systems, keeping contents, mode and time', () => {
  const other = fs.mkdtempSync(join(OTHER, 'orchestrate-test-'));
  try {
    const from = join(folder.path, 'a.txt');
    fs.writeFileSync(from, 'contents', { mode: 0o640 });
    fs.utimesSync(from, 1000, 1000);
    fs.writeFileSync(join(other, 'a.txt'), 'old');
    const plans: PlannedMove[] = [];
    expect(moveIntoFolder(from, other, (planned) => plans.push(planned))).toBe(join(other, 'a-2.txt'));
    expect(fs.readFileSync(join(other, 'a-2.txt'), 'utf8')).toBe('contents');
    expect(fs.statSync(join(other, 'a-2.txt'))).toMatchObject({ mtimeMs: 1_000_000 });
    expect(fs.statSync(join(other, 'a-2.txt')).mode & 0o777).toBe(0o640);
    expect(fs.readdirSync(other).sort()).toEqual(['a-2.txt', 'a.txt']);
    expect(fs.existsSync(from)).toBe(false);
    expect(plans.map(hasMoved)).toEqual([true]);
  } finally {
    fs.rmSync(other, { recursive: true });
  }
});

it('leaves the file where it is if the folder cannot be written', () => {
  const from = join(folder.path, 'a.txt');
  fs.writeFileSync(from, 'x');
  expect(() => moveIntoFolder(from, join(folder.path, 'none'))).toThrow('ENOENT');
  expect(fs.readFileSync(from, 'utf8')).toBe('x');
});
