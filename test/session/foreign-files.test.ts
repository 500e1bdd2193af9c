import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Json, SessionWorkspace, task } from './rig.ts';

const SUMMARY = '.workflow/WFS-work/.summaries/IMPL-1.1-summary.md';
const PLAN = '.workflow/WFS-work/IMPL_PLAN.md';
const TODO = '.workflow/WFS-work/TODO_LIST.md';
const HAND_WRITTEN = '# Task Summary: IMPL-1.1\n\nWritten by hand.\n';

/** A session with one task done elsewhere: its document has no `summary`, but a summary file exists. */
async function withSummary(): Promise<SessionWorkspace> {
  const workspace = new SessionWorkspace();
  await workspace.begin([
    task('IMPL-1'),
    task('IMPL-1.1', { status: 'completed' }),
    task('IMPL-2', { title: 'Other', flow_control: COMMAND }),
  ]);
  workspace.write({ [SUMMARY]: HAND_WRITTEN });
  return workspace;
}

const COMMAND = { implementation_approach: [{ step: 1, title: 'do it', command: 'true' }] };

describe('a summary not written by the program', () => {
  it.each([
    ['views', ['views']],
    ['repair', ['repair']],
    ['task update', ['task', 'update', 'IMPL-2', '--title', 'Another']],
    ['task create', ['task', 'create', '--title', 'New']],
    ['execute', ['execute', '--agent', 'mock', '--quiet']],
    ['session complete', ['session', 'complete', '--force']],
  ])('stays in place when `%s` writes views', async (_name, argv) => {
    const workspace = await withSummary();
    const ended = await workspace.ok(argv);
    const archived = SUMMARY.replace('WFS-work', 'archives/WFS-work');
    expect(workspace.read(argv.includes('complete') ? archived : SUMMARY)).toBe(HAND_WRITTEN);
    expect(`${ended.stdout}${ended.stderr}`).not.toContain('IMPL-1.1-summary.md');
  });

  it('is kept under another name when its task gets a generated summary', async () => {
    const workspace = await withSummary();
    workspace.putTask(task('IMPL-1.1', { status: 'completed', summary: { approach: 'Signed tokens.' } }));
    const written = await workspace.ok(['views']);
    expect(written.stdout).toContain(`${SUMMARY}\n`);
    expect(written.stderr).toBe(
      `note: kept \`${SUMMARY}\` as \`${SUMMARY}.kept-1\`: it was not written by orchestrate, or has been changed since\n`,
    );
    expect(workspace.read(`${SUMMARY}.kept-1`)).toBe(HAND_WRITTEN);
    expect(workspace.read(SUMMARY)).toContain('Signed tokens.');
  });

  it('is removed with its task only if it is unchanged since it was generated', async () => {
    const workspace = new SessionWorkspace();
    const done = { status: 'completed', summary: { approach: 'Did it.' } };
    await workspace.begin([task('IMPL-1', done), task('IMPL-2', done)]);
    await workspace.ok(['views']);
    const edited = '.workflow/WFS-work/.summaries/IMPL-2-summary.md';
    fs.appendFileSync(path.join(workspace.folder, edited), 'A note of mine.\n');
    const text = workspace.read(edited);
    for (const id of ['IMPL-1', 'IMPL-2']) workspace.putTask(task(id, { ...done, status: 'pending' }));
    const written = await workspace.ok(['views']);
    expect(written.stderr).toBe(
      'removed `.workflow/WFS-work/.summaries/IMPL-1-summary.md`: its task is not completed\n',
    );
    expect(written.stdout).not.toContain('.summaries');
    expect(workspace.has('.workflow/WFS-work/.summaries/IMPL-1-summary.md')).toBe(false);
    expect(workspace.read(edited)).toBe(text);
  });
});

describe('a view that was edited', () => {
  it('is kept, each time under a new name, and `views --json` reports it', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    await workspace.ok(['views']);
    const generated = workspace.read(PLAN);
    for (const number of [1, 2]) {
      workspace.write({ [PLAN]: `${generated}\nMy remark ${number}.\n` });
      const told = JSON.parse((await workspace.ok(['views', '--json'])).stdout);
      expect(told).toEqual({
        written: [PLAN],
        removed: [],
        kept: [{ file: PLAN, kept_as: `${PLAN}.kept-${number}` }],
      });
      expect(workspace.read(PLAN)).toBe(generated);
      expect(workspace.read(`${PLAN}.kept-${number}`)).toBe(`${generated}\nMy remark ${number}.\n`);
    }
    expect(JSON.parse((await workspace.ok(['views', '--json'])).stdout)).toEqual({
      ...{ written: [], removed: [], kept: [] },
    });
  });

  it('is kept by `repair`, which reports it', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    await workspace.ok(['views']);
    workspace.write({ [TODO]: '# My own list\n' });
    const told = `kept \`${TODO}\` as \`${TODO}.kept-1\`: it was not written by orchestrate, or has been changed since`;
    expect(JSON.parse((await workspace.ok(['repair', '--json'])).stdout)).toEqual([
      { message: told, repaired: true },
    ]);
    expect(workspace.read(`${TODO}.kept-1`)).toBe('# My own list\n');
  });

  it('is not kept if only the program has written it, however often', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    for (const status of ['active', 'pending', 'completed', 'pending'])
      await workspace.ok(['task', 'update', 'IMPL-1', '--status', status]);
    expect(workspace.list('.workflow/WFS-work').filter((name) => name.includes('.kept-'))).toEqual([]);
  });

  it('is kept as it is: a link stays a link, and its target is untouched', async () => {
    const workspace = new SessionWorkspace({ 'notes/plan.md': 'My plan.\n' });
    await workspace.begin([task('IMPL-1')]);
    const file = path.join(workspace.folder, PLAN);
    fs.rmSync(file);
    fs.symlinkSync('../../notes/plan.md', file);
    await workspace.ok(['views']);
    expect(fs.readlinkSync(`${file}.kept-1`)).toBe('../../notes/plan.md');
    expect(workspace.read('notes/plan.md')).toBe('My plan.\n');
    expect(workspace.read(PLAN)).toContain('# Implementation Plan');
  });

  it('is reported if a folder is in its place', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    fs.rmSync(path.join(workspace.folder, TODO));
    workspace.write({ [`${TODO}/mine.txt`]: 'mine' });
    const ended = await workspace.run(['views']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('it is a folder (EISDIR)\nhelp: move that folder: a file belongs there\n');
    expect(workspace.read(`${TODO}/mine.txt`)).toBe('mine');
  });
});

/** As written by the original tool of this layout. */
const ORIGINAL_SESSIONS: readonly (readonly [name: string, session: Json, tasks: readonly Json[]])[] = [
  [
    'with another word as its type',
    {
      ...{ session_id: 'WFS-old', project: 'Rebuild the login', type: 'workflow', status: 'active' },
      ...{ created_at: '2025-10-01T08:00:00Z', execution_context: { strategy: 'sequential' } },
    },
    [{ id: 'IMPL-001', title: 'Login', status: 'completed' }],
  ],
  [
    'without a phase',
    { session_id: 'WFS-old', project: 'Docs', type: 'docs', status: 'completed', progress: {} },
    [
      { id: 'IMPL-001', title: 'Write', status: 'completed', meta: { type: 'docs' } },
      { id: 'IMPL-001.1', title: 'Part', status: 'completed', depends_on: ['IMPL-001'] },
      { id: 'IMPL-A1', title: 'Odd id', status: 'pending' },
    ],
  ],
  ['that is nothing but an object', {}, []],
];

describe('a session of another tool', () => {
  it.each(ORIGINAL_SESSIONS)('%s keeps every file under its name', async (_name, session, tasks) => {
    const files: { [name: string]: string } = {
      '.workflow/.active-WFS-old': '',
      '.workflow/WFS-old/workflow-session.json': JSON.stringify(session, null, 4),
      '.workflow/WFS-old/IMPL_PLAN.md': '# Implementation Plan\n\nBy the other tool.\n',
      '.workflow/WFS-old/TODO_LIST.md': '# Tasks: Old\n\n- [x] **IMPL-001**\n',
      '.workflow/WFS-old/.summaries/IMPL-001-summary.md': 'done\n',
      '.workflow/WFS-old/.summaries/IMPL-001.md': 'done\n',
      '.workflow/WFS-old/.summaries/IMPL-001.1-summary.md': 'done too\n',
      '.workflow/WFS-old/.chat/analysis-IMPL-001.md': 'analysis\n',
      '.workflow/WFS-old/.process/context-package.json': '{}\n',
    };
    for (const each of tasks) files[`.workflow/WFS-old/.task/${each['id']}.json`] = JSON.stringify(each);
    const workspace = new SessionWorkspace(files);
    const commands = [
      ['views'],
      ['repair'],
      ['repair', '--json'],
      ['task', 'update', 'IMPL-001', '--title', 'New'],
      ['task', 'create', '--title', 'New'],
      ['execute', '--agent', 'mock', '--quiet'],
      ['plan', '--from', 'none.json'],
      ['session', 'pause'],
    ];
    for (const argv of commands) await workspace.run(argv);
    const papers = Object.entries(files).filter(([name]) => !/active-|\.task\/|session\.json$/.test(name));
    for (const [name, text] of papers) expect(workspace.read(name), name).toBe(text);
    expect(workspace.list('.workflow').filter((name) => /kept|corrupted/.test(name))).toEqual([]);
    for (const each of tasks) {
      const { status: _status, title: _title, ...rest } = each;
      expect(
        JSON.parse(workspace.read(`.workflow/WFS-old/.task/${each['id']}.json`)),
        String(each['id']),
      ).toMatchObject(rest);
    }
    const { status: _status, progress: _progress, ...words } = session;
    expect(workspace.session('WFS-old')).toMatchObject(words);
    expect(workspace.session('WFS-old')['created_at']).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('is not repaired if its document is not an object: `repair` reports what it cannot read', async () => {
    const workspace = new SessionWorkspace({ '.workflow/WFS-old/workflow-session.json': '["odd"]' });
    const repaired = await workspace.run(['repair']);
    expect(repaired.exitCode).toBe(1);
    expect(repaired.stdout).toMatch(
      /^cannot repair `WFS-old`: `.*workflow-session.json` is not valid: not a JSON object\n$/,
    );
    expect(workspace.read('.workflow/WFS-old/workflow-session.json')).toBe('["odd"]');
  });

  it('keeps its marker, even if the session is in `active/`', async () => {
    const workspace = new SessionWorkspace({
      '.workflow/.active-WFS-old': '',
      '.workflow/active/WFS-old/workflow-session.json': '{}',
    });
    await workspace.ok(['repair']);
    expect(workspace.markers()).toEqual(['.active-WFS-old']);
  });
});

describe('a foreign file with a name that the program uses', () => {
  it('is not a marker unless it is empty or contains only the name of its session', async () => {
    const workspace = new SessionWorkspace({
      '.workflow/.active-WFS-gone': 'Ask Ada before you remove this.\n',
    });
    const refused = await workspace.run(['session', 'start', 'Work']);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toBe(
      'error: `.workflow/.active-WFS-gone`: a marker is an empty file, but this one is not empty\nhelp: move it away\n',
    );
    const repaired = await workspace.run(['repair']);
    expect(repaired).toMatchObject({
      exitCode: 1,
      stdout: 'cannot repair `.active-WFS-gone`: a marker is an empty file, but this one is not empty\n',
    });
    expect(workspace.read('.workflow/.active-WFS-gone')).toBe('Ask Ada before you remove this.\n');
    workspace.write({ '.workflow/.active-WFS-gone': 'WFS-gone\n' });
    await workspace.ok(['repair']);
    expect(workspace.markers()).toEqual([]);
  });

  it('is left alone when a session is cleaned up', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    const mine = [
      'mine.tmp',
      '.mine.tmp',
      'Cargo.lock',
      '.task/yarn.lock',
      '.task/.incoming-mail',
      '.lock.takeover.mine',
    ];
    workspace.write(
      Object.fromEntries(mine.map((name) => [`.workflow/WFS-work/${name}`, `${name} of mine\n`])),
    );
    await workspace.ok(['views']);
    await workspace.ok(['task', 'create', '--title', 'Two']);
    workspace.write({ 'more.json': JSON.stringify({ tasks: [{ title: 'Three' }] }) });
    await workspace.ok(['plan', '--from', 'more.json']);
    for (const name of mine) expect(workspace.read(`.workflow/WFS-work/${name}`)).toBe(`${name} of mine\n`);
  });

  it('is left in `.adding`', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    workspace.write({ '.workflow/WFS-work/.task/.adding/mine.txt': 'mine' });
    await workspace.ok(['task', 'create', '--title', 'Two']);
    await workspace.ok(['views']);
    expect(workspace.read('.workflow/WFS-work/.task/.adding/mine.txt')).toBe('mine');
    expect(workspace.has('.workflow/WFS-work/.task/mine.txt')).toBe(false);
  });

  it('is reported if it is a folder named like a task', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    workspace.write({ '.workflow/WFS-work/.task/IMPL-7.json/mine.txt': 'mine' });
    for (const argv of [['session', 'status'], ['views'], ['task', 'show', 'IMPL-7'], ['repair']]) {
      const ended = await workspace.run(argv);
      expect(ended.exitCode, argv.join(' ')).toBeLessThan(3);
      expect(`${ended.stdout}${ended.stderr}`, argv.join(' ')).toContain('IMPL-7.json');
    }
    expect(workspace.read('.workflow/WFS-work/.task/IMPL-7.json/mine.txt')).toBe('mine');
  });

  it('is not replaced by the index of a large session', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    workspace.write({ '.workflow/WFS-work/.task-index.json': '{"mine": true}' });
    await workspace.ok(['views']);
    await workspace.ok(['views']);
    expect(workspace.read('.workflow/WFS-work/.task-index.json')).toBe('{"mine": true}');
  });

  it('in the archives stops `session complete` before anything is changed', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1', { status: 'completed' })]);
    workspace.write({ '.workflow/archives/WFS-work/mine.txt': 'mine' });
    const refused = await workspace.run(['session', 'complete']);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr:
        'error: `.workflow/archives/WFS-work` already exists; nothing was overwritten\nhelp: move it away\n',
    });
    expect(workspace.session()['status']).toBe('active');
    expect(workspace.markers()).toEqual(['.active-WFS-work']);
    expect(workspace.list('.workflow/archives')).toEqual(['WFS-work', 'WFS-work/mine.txt']);
  });
});
