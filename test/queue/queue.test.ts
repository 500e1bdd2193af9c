import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doneTask, failTask } from '../../src/queue/finish-task.ts';
import { listTaken, listTasks } from '../../src/queue/list-tasks.ts';
import { putTask } from '../../src/queue/put-task.ts';
import { QUEUE_DEFAULTS, type Queue } from '../../src/queue/queue.ts';
import { takeTask } from '../../src/queue/take-task.ts';
import { folderForEach } from '../rig/temporary-folder.ts';
import { buildChild } from '../store/child.ts';

const folder = folderForEach();
const queue = (): Queue => ({ workspace: folder.path, ...QUEUE_DEFAULTS });

function value<Value>(result: { type: 'ok'; value: Value } | { type: 'error'; error: unknown }): Value {
  if (result.type === 'error') throw new Error(JSON.stringify(result.error));
  return result.value;
}

function putFile(path: string, contents = path): void {
  fs.mkdirSync(join(folder.path, path, '..'), { recursive: true });
  fs.writeFileSync(join(folder.path, path), contents);
}

const text = (path: string) => fs.readFileSync(join(folder.path, path), 'utf8');

describe('a task', () => {
  it('is visible only when complete', () => {
    fs.mkdirSync(join(folder.path, 'inbox', 'qa'), { recursive: true });
    const seen: string[][] = [];
    const { fsyncSync } = fs;
    fs.fsyncSync = (fd) => {
      seen.push(fs.readdirSync(join(folder.path, 'inbox/qa')));
      expect(listTasks(queue(), 'qa')).toEqual({
        type: 'ok',
        value: seen.length === 1 ? [] : [expect.anything()],
      });
      fsyncSync(fd);
    };
    try {
      const task = value(putTask(queue(), 'qa', 'review this'));
      expect(text(task.path)).toBe('review this');
      expect(seen).toEqual([[task.name.replace(/\.task$/, '.tmp')], [task.name]]);
    } finally {
      fs.fsyncSync = fsyncSync;
    }
  });

  it('moves from the inbox through a claim to the finished tasks', () => {
    const put = value(putTask(queue(), 'qa', 'x'));
    const taken = value(takeTask(queue(), 'qa'));
    expect(taken).toMatchObject({ agent: 'qa', name: put.name });
    expect(value(listTasks(queue(), 'qa'))).toEqual([]);
    expect(value(takeTask(queue(), 'qa'))).toBeUndefined();
    expect(value(listTaken(queue(), 'qa'))).toEqual([taken]);
    const done = value(doneTask(queue(), taken?.path ?? '', '20260131T000000Z'));
    expect(done).toBe(`processed/20260131T000000Z/${put.name}`);
    expect(text(done)).toBe('x');
    expect(fs.readdirSync(join(folder.path, 'inbox/qa/.taken'))).toEqual([]);
  });

  it('can be finished without a claim', () => {
    putFile('inbox/qa/review.task');
    expect(value(failTask(queue(), 'inbox/qa/review.task', 'now'))).toBe('failed/now/review.task');
    expect(fs.existsSync(join(folder.path, 'inbox/qa/review.task'))).toBe(false);
  });

  it('never replaces another', () => {
    putFile('processed/now/review.task', 'old');
    for (const contents of ['second', 'third']) {
      putFile('inbox/qa/review.task', contents);
      doneTask(queue(), 'inbox/qa/review.task', 'now');
    }
    expect(
      ['review.task', 'review-2.task', 'review-3.task'].map((name) => text(`processed/now/${name}`)),
    ).toEqual(['old', 'second', 'third']);
  });

  it('does not overwrite a claimed task of the same name', () => {
    putFile('inbox/qa/review.task', 'first');
    const first = value(takeTask(queue(), 'qa'));
    putFile('inbox/qa/review.task', 'second');
    const second = value(takeTask(queue(), 'qa'));
    expect([text(first?.path ?? ''), text(second?.path ?? '')]).toEqual(['first', 'second']);
  });
});

describe('a queue', () => {
  it('returns tasks in the order they were added', () => {
    const put = Array.from({ length: 50 }, (_, n) => value(putTask(queue(), 'qa', String(n))));
    expect(value(listTasks(queue(), 'qa'))).toEqual(put);
    const taken = put.map(() => text(value(takeTask(queue(), 'qa'))?.path ?? ''));
    expect(taken).toEqual(put.map((_, n) => String(n)));
  });

  it('returns tasks of any name oldest first', () => {
    for (const [name, day] of [
      ['review_10.task', 1],
      ['a task of mine.task', 2],
      ['review_2.task', 3],
    ] as const) {
      putFile(`inbox/qa/${name}`);
      fs.utimesSync(join(folder.path, 'inbox/qa', name), day, day);
    }
    const last = value(putTask(queue(), 'qa', 'x'));
    expect(value(listTasks(queue(), 'qa')).map((task) => task.name)).toEqual([
      'review_10.task',
      'a task of mine.task',
      'review_2.task',
      last.name,
    ]);
  });

  it('contains only visible files with its extension', () => {
    for (const name of ['a.tmp', '.b.task', '-rf.task', 'c.json', '.task', 'd.task/inner'])
      putFile(`inbox/qa/${name}`);
    expect(value(listTasks(queue(), 'qa'))).toEqual([]);
    expect(value(listTasks({ ...queue(), extension: '.json' }, 'qa')).map((task) => task.name)).toEqual([
      'c.json',
    ]);
  });

  it('that was never used is empty, and listing creates no folder', () => {
    expect(value(listTasks(queue(), 'qa'))).toEqual([]);
    expect(value(takeTask(queue(), 'qa'))).toBeUndefined();
    expect(fs.readdirSync(folder.path)).toEqual([]);
  });

  it.each(['../x', 'a/b', '', '.hidden', '-rf', 'a b'])('rejects the agent name %j', (agent) => {
    expect(putTask(queue(), agent, 'x')).toMatchObject({
      type: 'error',
      error: {
        type: 'unusable-values',
        reasons: [expect.stringContaining(`\`${agent}\` is not an agent name`)],
      },
    });
    expect(listTasks(queue(), agent)).toMatchObject({ type: 'error' });
    expect(takeTask(queue(), agent)).toMatchObject({ type: 'error' });
    expect(fs.readdirSync(folder.path)).toEqual([]);
  });

  it.each(['.tmp', 'task', '', './x', '.'])('rejects the extension %j', (extension) => {
    expect(putTask({ ...queue(), extension }, 'qa', 'x')).toMatchObject({ type: 'error' });
  });

  it.each(['src/x.task', 'inbox/../x.task', '/inbox/qa/x.task', 'inbox/qa/x.md'])(
    'has no task at %j',
    (path) => {
      putFile('src/x.task');
      putFile('inbox/qa/x.md');
      const { type, error } = doneTask(queue(), path, 'now') as { type: string; error: { type: string } };
      expect([type, ['unsafe-path', 'unusable-values'].includes(error.type)]).toEqual(['error', true]);
      expect(fs.existsSync(join(folder.path, 'processed'))).toBe(false);
    },
  );

  it('is rejected if its folder is a link out of the workspace', () => {
    const workspace = join(folder.path, 'work');
    fs.mkdirSync(join(workspace, 'inbox'), { recursive: true });
    fs.mkdirSync(join(folder.path, 'outside'));
    fs.symlinkSync('../../outside', join(workspace, 'inbox', 'qa'));
    expect(putTask({ ...queue(), workspace }, 'qa', 'x')).toMatchObject({ type: 'error' });
    expect(fs.readdirSync(join(folder.path, 'outside'))).toEqual([]);
  });

  it('gives each task to one of eight workers', async () => {
    const put = Array.from({ length: 500 }, (_, n) => value(putTask(queue(), 'engineer', String(n))).name);
    const program = await buildChild('./queue-child.ts', import.meta.url);
    const children = Array.from({ length: 8 }, () => program.start(folder.path));
    const taken = await Promise.all(
      children.map(async (child) => {
        const names: string[] = [];
        for (let name = await child.line(); name !== undefined; name = await child.line()) names.push(name);
        expect(await child.ended()).toBe(0);
        return names;
      }),
    );
    program.remove();
    expect(taken.flat().sort()).toEqual(put);
    expect(fs.readdirSync(join(folder.path, 'processed/stamp')).sort()).toEqual(put);
    expect(value(listTasks(queue(), 'engineer'))).toEqual([]);
    expect(fs.readdirSync(join(folder.path, 'inbox/engineer/.taken'))).toEqual([]);
  });
});
