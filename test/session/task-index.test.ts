import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { SessionWorkspace, task } from './rig.ts';

const INDEX = '.workflow/WFS-work/.task-index.json';

/** Recently changed files are always read; change times cannot be set, only waited for. */
const TRUSTED_AFTER_MS = 2100;

/** A session large enough for an index, unchanged for long enough to have one. */
async function large(): Promise<SessionWorkspace> {
  const workspace = new SessionWorkspace();
  await workspace.begin(Array.from({ length: 250 }, (_, index) => task(`IMPL-${index + 1}`)));
  workspace.putTask(task('IMPL-3', { status: 'completed', summary: { approach: 'Step by step' } }));
  await settle(workspace);
  expect(JSON.parse(workspace.read(INDEX)).tasks).toHaveLength(250);
  return workspace;
}

async function settle(workspace: SessionWorkspace): Promise<void> {
  await workspace.ok(['views']);
  const settledAt = Date.now() + TRUSTED_AFTER_MS;
  await until(() => Date.now() > settledAt);
  expect(await workspace.ok(['views'])).toMatchObject({ stdout: '' });
}

async function statuses(workspace: SessionWorkspace): Promise<readonly string[]> {
  const listed = await workspace.ok(['task', 'list', '--json']);
  return JSON.parse(listed.stdout).map((each: { readonly status: string }) => each.status);
}

describe('the index of a large session', () => {
  it('never hides a change, however a task was changed', async () => {
    const workspace = await large();
    // In place, with the same size and the same times.
    const file = path.join(workspace.folder, '.workflow/WFS-work/.task/IMPL-7.json');
    const { atime, mtime } = fs.statSync(file);
    const fd = fs.openSync(file, 'r+');
    const text = fs.readFileSync(file, 'utf8').replace('"pending"', '"blocked"');
    fs.writeSync(fd, text, 0);
    fs.closeSync(fd);
    fs.utimesSync(file, atime, mtime);
    workspace.remove('.workflow/WFS-work/.task/IMPL-8.json');
    workspace.putTask(task('IMPL-300', { status: 'completed' }));
    const before = await statuses(workspace);
    expect(before).toHaveLength(250);
    expect(before[6]).toBe('blocked');
    expect(before.at(-1)).toBe('completed');
    await workspace.ok(['views']);
    expect(workspace.todo()).not.toContain('**IMPL-8**');
    workspace.remove(INDEX);
    expect(await statuses(workspace)).toEqual(before);
  });

  it('does not hide an edited view', async () => {
    const workspace = await large();
    expect(await workspace.ok(['views'])).toMatchObject({ stdout: '' });
    const todo = workspace.todo();
    fs.writeFileSync(
      path.join(workspace.folder, '.workflow/WFS-work/TODO_LIST.md'),
      todo.replace('[ ]', '[x]'),
    );
    expect((await workspace.ok(['views'])).stdout).toBe('.workflow/WFS-work/TODO_LIST.md\n');
    expect(workspace.todo()).toBe(todo);
    const summary = '.workflow/WFS-work/.summaries/IMPL-3-summary.md';
    const told = workspace.read(summary);
    await settle(workspace);
    workspace.write({ [summary]: told.replace('Step', 'Leap') });
    expect((await workspace.ok(['views'])).stdout).toBe(`${summary}\n`);
    expect(workspace.read(summary)).toBe(told);
    const session = workspace.session();
    workspace.write({
      '.workflow/WFS-work/workflow-session.json': JSON.stringify({ ...session, notes: 'Hear.' }),
    });
    await workspace.ok(['views']);
    expect(workspace.todo()).toContain('## Notes\nHear.\n');
  });

  it('is ignored and rebuilt if it is damaged', async () => {
    const workspace = await large();
    const before = await statuses(workspace);
    for (const damaged of ['{"version":3,"tasks"', '[]', '{"version":3}', '{"version":99,"tasks":[]}', '']) {
      workspace.write({ [INDEX]: damaged });
      expect(await statuses(workspace)).toEqual(before);
      expect(workspace.read(INDEX)).toBe(damaged);
    }
    await settle(workspace);
    expect(JSON.parse(workspace.read(INDEX)).tasks).toHaveLength(250);
  });
});
