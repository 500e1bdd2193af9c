import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moveFile } from '../../src/effects/move-file.ts';
import { folderForEach, temporaryFolder } from '../rig/temporary-folder.ts';
import { effectContext, putFile } from './effect-site.ts';

const folder = folderForEach();
const at = (path: string) => join(folder.path, 'work', path);
const text = (path: string) => fs.readFileSync(at(path), 'utf8');
const move = (from: string, toFolder: string, key = 'Step') =>
  moveFile({ from, toFolder }, effectContext(folder.path, { key }));

/** Runs the move until the `nth` call of the named function, as a crash there would. */
async function crashingAt(
  name: 'linkSync' | 'rmSync' | 'openSync',
  nth: number,
  action: () => Promise<unknown>,
) {
  const original = fs[name] as (...parameters: never[]) => unknown;
  let calls = 0;
  Object.assign(fs, {
    [name]: (...parameters: never[]) => {
      calls += 1;
      if (calls >= nth) throw new Error('crash');
      return original(...parameters);
    },
  });
  try {
    await expect(action()).rejects.toThrow('crash');
  } finally {
    Object.assign(fs, { [name]: original });
  }
}

describe('moving a file', () => {
  it('creates the folder and returns the new path', async () => {
    putFile(at('inbox/qa/a.task'), 'a');
    expect(await move('inbox/qa/a.task', 'processed/now')).toEqual({ to: 'processed/now/a.task' });
    expect(text('processed/now/a.task')).toBe('a');
    expect(fs.existsSync(at('inbox/qa/a.task'))).toBe(false);
  });

  it('never overwrites', async () => {
    putFile(at('processed/a.task'), 'old');
    putFile(at('processed/a-2.task'), 'older');
    putFile(at('a.task'), 'new');
    expect(await move('a.task', 'processed')).toEqual({ to: 'processed/a-3.task' });
    expect(['a', 'a-2', 'a-3'].map((name) => text(`processed/${name}.task`))).toEqual([
      'old',
      'older',
      'new',
    ]);
  });

  it('into the folder where it already is leaves it there', async () => {
    putFile(at('in/a'), 'x');
    expect(await move('in/a', 'in')).toEqual({ to: 'in/a' });
    expect(text('in/a')).toBe('x');
  });

  it('works if links are refused', async () => {
    putFile(at('a.task'), 'new');
    putFile(at('done/a.task'), 'old');
    const { linkSync } = fs;
    fs.linkSync = () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
    };
    try {
      expect(await move('a.task', 'done')).toEqual({ to: 'done/a-2.task' });
    } finally {
      fs.linkSync = linkSync;
    }
    expect([text('done/a.task'), text('done/a-2.task')]).toEqual(['old', 'new']);
    expect(fs.existsSync(at('a.task'))).toBe(false);
  });

  it.each([
    ['../a', 'done'],
    ['a', '../done'],
  ])('%s to %s is refused', async (from, toFolder) => {
    putFile(at('a'));
    expect(await move(from, toFolder)).toMatchObject({ failure: { type: 'unsafe-path' } });
    expect(fs.existsSync(at('a'))).toBe(true);
  });

  it('from an absolute path is refused', async () => {
    const outside = join(temporaryFolder(), 'a');
    putFile(outside);
    expect(await move(outside, 'done')).toMatchObject({ failure: { type: 'unsafe-path' } });
    expect(fs.existsSync(outside)).toBe(true);
  });

  it('moves no folders and no links', async () => {
    fs.mkdirSync(at('folder'), { recursive: true });
    putFile(join(folder.path, 'outside'));
    fs.symlinkSync('../outside', at('link'));
    expect(await move('folder', 'done')).toMatchObject({
      failure: { reason: 'is a folder; only files can be moved' },
    });
    expect(await move('link', 'done')).toMatchObject({
      failure: { reason: 'is a link; only files can be moved' },
    });
  });

  it('reports a missing file, even if one of its name is in the folder', async () => {
    putFile(at('done/a'), 'another file');
    expect(await move('a', 'done')).toEqual({
      failure: { type: 'file', operation: 'move', path: 'a', code: 'ENOENT' },
    });
  });
});

describe('a move that was interrupted by a crash', () => {
  it.each([
    ['before anything was written', 'openSync', 1],
    ['before the new name was created', 'linkSync', 1],
    ['before the old name was removed', 'rmSync', 1],
    ['after the old name was removed', 'openSync', 4],
  ] as const)('%s is finished when the step is repeated', async (_, name, nth) => {
    putFile(at('done/a'), 'old');
    putFile(at('a'), 'mine');
    await crashingAt(name, nth, () => move('a', 'done'));
    expect(await move('a', 'done')).toEqual({ to: 'done/a-2' });
    expect(fs.readdirSync(at('done')).sort()).toEqual(['a', 'a-2']);
    expect([text('done/a'), text('done/a-2')]).toEqual(['old', 'mine']);
    expect(fs.existsSync(at('a'))).toBe(false);
  });

  it('counts as done even if the file has been moved on since', async () => {
    putFile(at('a'), 'mine');
    await move('a', 'done');
    fs.renameSync(at('done/a'), at('taken'));
    expect(await move('a', 'done')).toEqual({ to: 'done/a' });
  });

  it('does not count for another step', async () => {
    putFile(at('a'), 'mine');
    await move('a', 'done', 'First');
    expect(await move('a', 'done', 'Second')).toMatchObject({ failure: { code: 'ENOENT' } });
  });
});
