import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeInside, writeInside } from '../../src/effects/agent/write-inside.ts';
import { appendLine } from '../../src/effects/append-line.ts';
import { archiveFolder } from '../../src/effects/archive-folder.ts';
import { emptyFolder } from '../../src/effects/empty-folder.ts';
import { moveFile } from '../../src/effects/move-file.ts';
import { updateDocumentEffect } from '../../src/effects/update-document.ts';
import { writeFile } from '../../src/effects/write-file.ts';
import { doneTask } from '../../src/queue/finish-task.ts';
import { putTask } from '../../src/queue/put-task.ts';
import { QUEUE_DEFAULTS } from '../../src/queue/queue.ts';
import { takeTask } from '../../src/queue/take-task.ts';
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

type Change = 'rmSync' | 'unlinkSync' | 'openSync' | 'linkSync' | 'renameSync';

function swapFolder(): void {
  fs.renameSync(inside, `${inside}-before`);
  fs.symlinkSync(outside, inside);
}

/** What another process could do just before the first change to the file system. */
function swapFirst(change: Change, wanted: (path: string) => boolean, swap = swapFolder): void {
  const original = fs[change] as (...args: unknown[]) => unknown;
  const restore = () => void Object.assign(fs, { [change]: original });
  restores.push(restore);
  Object.assign(fs, {
    [change]: (path: string, ...rest: unknown[]) => {
      if (wanted(path)) {
        restore();
        swap();
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

it('a file is not written outside if its folder becomes a link meanwhile', async () => {
  swapFirst('openSync', isTemporary);
  await writeFile({ path: 'sub/file.txt', text: 'mine' }, context);
  theirsIsUntouched();
  expect(fs.readFileSync(join(`${inside}-before`, 'file.txt'), 'utf8')).toBe('mine');
});

it("an agent's answer is not written outside if its folder becomes a link meanwhile", () => {
  swapFirst('openSync', isTemporary);
  writeInside(context.run.workspace, 'sub/file.txt', 'mine');
  theirsIsUntouched();
  expect(fs.readFileSync(join(`${inside}-before`, 'file.txt'), 'utf8')).toBe('mine');
});

it('a folder that became a link just before it is opened is refused', async () => {
  swapFirst('openSync', (path) => path === inside);
  const output = await writeFile({ path: 'sub/file.txt', text: 'mine' }, context);
  expect(output.failure).toEqual({
    type: 'unsafe-path',
    path: 'sub/file.txt',
    reason: 'was changed to lead outside the workspace',
  });
  theirsIsUntouched();
});

it('no file outside is removed if a folder becomes a link meanwhile', () => {
  swapFirst('rmSync', (path) => path.endsWith('file.txt'));
  removeInside(context.run.workspace, 'sub/file.txt');
  theirsIsUntouched();
});

it('removing a file from a missing folder is not a failure', () => {
  expect(removeInside(context.run.workspace, 'nowhere/file.txt')).toBeUndefined();
});

it.each(['a.txt', 'file.txt'])(
  'nothing outside is emptied if a folder becomes a link before %s is removed',
  async (name) => {
    swapFirst('rmSync', (path) => path.endsWith(name));
    await emptyFolder({ folder: 'sub' }, context);
    theirsIsUntouched();
  },
);

it('a folder is emptied recursively, and links in it are removed, not followed', async () => {
  fs.symlinkSync(outside, join(inside, 'deep/link'));
  fs.symlinkSync(outside, join(inside, 'link'));
  expect(await emptyFolder({ folder: 'sub' }, context)).toEqual({});
  expect(fs.readdirSync(inside)).toEqual([]);
  theirsIsUntouched();
});

const before = (name: string): string => fs.readFileSync(join(`${inside}-before`, name), 'utf8');

it('a line is not added outside when its folder becomes a link meanwhile', async () => {
  swapFirst('openSync', (path) => path.endsWith('log.jsonl'));
  const line = { id: 1 };
  expect(await appendLine({ path: 'sub/log.jsonl', line, sameBy: ['id'] }, context)).toEqual({});
  theirsIsUntouched();
  expect(before('log.jsonl')).toBe('{"id":1}\n');
  expect(fs.readdirSync(`${inside}-before`).sort()).toEqual(['deep', 'file.txt', 'log.jsonl']);
});

it('a document is not changed outside when its folder becomes a link meanwhile', async () => {
  putFile(join(inside, 'it.json'), '{"mine":true}');
  swapFirst('renameSync', (path) => path.includes('.it.json.'));
  const changes = [{ type: 'set', at: ['done'], value: true }] as const;
  const output = await updateDocumentEffect({ path: 'sub/it.json', changes }, context);
  expect(output).toEqual({ document: { mine: true, done: true } });
  theirsIsUntouched();
  expect(JSON.parse(before('it.json'))).toEqual({ mine: true, done: true });
});

it('a document that becomes a link meanwhile is not read from outside', async () => {
  const path = join(inside, 'it.json');
  putFile(path, '{"mine":true}');
  fs.writeFileSync(join(outside, 'file.txt'), '{"theirs":true}');
  swapFirst(
    'openSync',
    (opened) => opened.endsWith('/it.json'),
    () => {
      fs.rmSync(path);
      fs.symlinkSync(join(outside, 'file.txt'), path);
    },
  );
  const output = await updateDocumentEffect({ path: 'sub/it.json', changes: [] }, context);
  expect(output).toEqual({ failure: { type: 'file', operation: 'update', path, code: 'ELOOP' } });
});

it('a document that is not JSON is reported under its own path', async () => {
  const path = join(inside, 'file.txt');
  const output = await updateDocumentEffect({ path: 'sub/file.txt', changes: [] }, context);
  expect(output.failure).toMatchObject({ type: 'invalid-output' });
  expect((output.failure as { message: string }).message).toContain(`\`${path}\` line 1: `);
});

it.each([
  ['from', { from: 'sub/file.txt', toFolder: 'there' }, 'there/file.txt'],
  ['to', { from: 'mine.txt', toFolder: 'sub/new' }, 'sub-before/new/mine.txt'],
] as const)('no file is moved %s outside when a folder becomes a link meanwhile', async (_, input, place) => {
  putFile(join(context.run.workspace, 'mine.txt'), 'inside');
  swapFirst('linkSync', () => true);
  await moveFile(input, context);
  theirsIsUntouched();
  expect(fs.readFileSync(join(context.run.workspace, place), 'utf8')).toBe('inside');
  expect(fs.existsSync(join(context.run.workspace, input.from))).toBe(input.from.startsWith('sub/'));
});

it('no archive is put outside when its folder becomes a link meanwhile', async () => {
  putFile(join(context.run.workspace, 'mine/a.txt'), 'mine');
  swapFirst('renameSync', (path) => path.includes('.all.zip.'));
  const output = await archiveFolder({ folder: 'mine', to: 'sub/all.zip' }, context);
  expect(output).toEqual({ archive: join(inside, 'all.zip'), files: 1 });
  theirsIsUntouched();
  expect(fs.readdirSync(`${inside}-before`).sort()).toEqual(['all.zip', 'deep', 'file.txt']);
});

it.each([1, 2])(
  'an archive includes nothing from outside if its folder becomes a link at open %i',
  async (nth) => {
    let opens = 0;
    swapFirst('openSync', (path) => {
      opens += path.endsWith('/a.txt') ? 1 : 0;
      return opens === nth;
    });
    const output = await archiveFolder({ folder: 'sub', to: 'all.zip' }, context);
    expect(output).toMatchObject({ files: 0, failure: { type: 'unsafe-path' } });
    expect(fs.readdirSync(context.run.workspace).sort()).toEqual(['.orchestrate', 'sub', 'sub-before']);
  },
);

it('no task is put, taken or finished outside when a folder becomes a link meanwhile', () => {
  const { workspace } = context.run;
  const queue = { workspace, ...QUEUE_DEFAULTS, inboxDir: 'sub' };
  const again = () => {
    fs.unlinkSync(inside);
    fs.renameSync(`${inside}-before`, inside);
  };
  swapFirst('openSync', (path) => path.endsWith('.tmp'));
  expect(putTask(queue, 'qa', 'Do it.').type).toBe('ok');
  theirsIsUntouched();
  again();
  swapFirst('renameSync', (path) => path.endsWith('.task'));
  const taken = takeTask(queue, 'qa');
  theirsIsUntouched();
  again();
  const path = taken.type === 'ok' ? (taken.value?.path ?? '') : '';
  expect(fs.readFileSync(join(workspace, path), 'utf8')).toBe('Do it.');
  swapFirst('linkSync', () => true);
  expect(doneTask(queue, path, 'now')).toMatchObject({ type: 'ok' });
  theirsIsUntouched();
  expect(fs.readdirSync(join(workspace, 'processed/now'))).toHaveLength(1);
});
