import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeInside, writeInside } from '../../src/effects/agent/write-inside.ts';
import { emptyFolder } from '../../src/effects/empty-folder.ts';
import { writeFile } from '../../src/effects/write-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { effectContext, putFile } from './effect-site.ts';

const restores: (() => void)[] = [];
afterEach(() => {
  for (const restore of restores.splice(0)) restore();
});

let context: ReturnType<typeof effectContext>;
let inside: string;
let outside: string;
beforeEach(() => {
  const root = fs.realpathSync(temporaryFolder());
  context = effectContext(root);
  inside = join(context.run.workspace, 'sub');
  outside = join(root, 'outside');
  putFile(join(inside, 'deep/a.txt'), 'inside');
  putFile(join(inside, 'file.txt'), 'inside');
  putFile(join(outside, 'deep/a.txt'), 'theirs');
  putFile(join(outside, 'file.txt'), 'theirs');
});

/** What another process could do at the moment the file system is first asked to change something. */
function swapFirst(change: 'rmSync' | 'unlinkSync' | 'openSync', wanted: (path: string) => boolean): void {
  const original = fs[change] as (...args: unknown[]) => unknown;
  const restore = () => void Object.assign(fs, { [change]: original });
  restores.push(restore);
  Object.assign(fs, {
    [change]: (path: string, ...rest: unknown[]) => {
      if (wanted(path)) {
        restore();
        fs.renameSync(inside, `${inside}-before`);
        fs.symlinkSync(outside, inside);
      }
      return original(path, ...rest);
    },
  });
}

function theirsIsUntouched(): void {
  expect(fs.readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('theirs');
  expect(fs.readFileSync(join(outside, 'deep/a.txt'), 'utf8')).toBe('theirs');
  expect(fs.readdirSync(outside).sort()).toEqual(['deep', 'file.txt']);
}

const isTemporary = (path: string): boolean => /file\.txt.+/.test(path);

it('a file is not written outside when its folder becomes a link meanwhile', async () => {
  swapFirst('openSync', isTemporary);
  await writeFile({ path: 'sub/file.txt', text: 'mine' }, context);
  theirsIsUntouched();
  expect(fs.readFileSync(join(`${inside}-before`, 'file.txt'), 'utf8')).toBe('mine');
});

it("an agent's answer is not written outside when its folder becomes a link meanwhile", () => {
  swapFirst('openSync', isTemporary);
  writeInside(context.run.workspace, 'sub/file.txt', 'mine');
  theirsIsUntouched();
  expect(fs.readFileSync(join(`${inside}-before`, 'file.txt'), 'utf8')).toBe('mine');
});

it('a folder that became a link just before it is opened is refused', async () => {
  swapFirst('openSync', (path) => path === inside);
  const output = await writeFile({ path: 'sub/file.txt', text: 'mine' }, context);
  expect(output.failure).toMatchObject({ type: 'file', operation: 'write', path: 'sub/file.txt' });
  theirsIsUntouched();
});

it('no file outside is removed when a folder becomes a link meanwhile', () => {
  swapFirst('rmSync', (path) => path.endsWith('file.txt'));
  removeInside(context.run.workspace, 'sub/file.txt');
  theirsIsUntouched();
});

it('a file that is to be removed from a folder that is not there is no failure', () => {
  expect(removeInside(context.run.workspace, 'nowhere/file.txt')).toBeUndefined();
});

it.each(['a.txt', 'file.txt'])(
  'nothing outside is emptied when a folder becomes a link before %s goes',
  async (name) => {
    swapFirst('rmSync', (path) => path.endsWith(name));
    await emptyFolder({ folder: 'sub' }, context);
    theirsIsUntouched();
  },
);

it('a folder is emptied to its depth, and links in it are removed, not followed', async () => {
  fs.symlinkSync(outside, join(inside, 'deep/link'));
  fs.symlinkSync(outside, join(inside, 'link'));
  expect(await emptyFolder({ folder: 'sub' }, context)).toEqual({});
  expect(fs.readdirSync(inside)).toEqual([]);
  theirsIsUntouched();
});
