/** A run's files are brought from the hub into the checkout of its user. */
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { closeCheckout, openCheckout, saveCheckout } from '../../src/git/hub/checkout.ts';
import { pullRun } from '../../src/git/hub/pull-run.ts';
import { RunHead } from '../../src/git/hub/run-head.ts';
import { folderForEach, temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';
import {
  cloneOf,
  fileIn,
  git,
  makeCheckout,
  makeHub,
  must,
  RUN,
  repositoryIn,
  SIGNAL,
  start,
  stateOf,
} from './hub-site.ts';

const BRANCH = `orchestrate/${RUN}`;
const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);

let hub = '';
let user = '';
const records = folderForEach();

beforeEach(() => {
  hub = makeHub();
  user = makeCheckout({ 'list.txt': LINES.join(''), 'gone.txt': 'x\n' });
});

let calls = 0;

/** One step of the run, on a worker. */
async function step(work: (workspace: string) => void): Promise<void> {
  const head = must(await RunHead.open(await cloneOf(hub), RUN));
  const worker = await cloneOf(hub);
  calls += 1;
  const call = must(await head.offer(`Step${calls}~1`));
  const checkout = must(await openCheckout(worker, { call, prefix: '', signal: SIGNAL }));
  work(checkout.workspace);
  const done = must(await saveCheckout(worker, checkout, { execution: 'w', message: `Step ${calls}` }));
  must(await closeCheckout(worker, checkout));
  must(await head.take(call, done));
}

async function pull(merge = false, from = user) {
  const home = await repositoryIn(from);
  return pullRun(home, { address: hub, runId: RUN, folder: records.path, merge });
}

describe('pull', () => {
  it('makes a branch and touches nothing else', async () => {
    must(await start(user, hub));
    await step((at) => writeFiles(at, { 'new.txt': 'new\n' }));
    const before = stateOf(user) as { refs: readonly string[] };
    const pulled = must(await pull());
    expect(pulled).toMatchObject({ type: 'pulled', branch: BRANCH, files: ['new.txt'] });
    expect(git(user, 'show', `${BRANCH}:new.txt`)).toBe('new');
    expect(git(user, 'log', '--format=%s', `main..${BRANCH}`).split('\n')).toContain('Step 1');
    const after = stateOf(user) as { refs: readonly string[] };
    expect({ ...after, refs: after.refs.filter((ref) => before.refs.includes(ref)) }).toEqual(before);
  });

  it('shows the work without the uncommitted changes that the run started with', async () => {
    writeFiles(user, { 'list.txt': LINES.with(1, 'mine\n').join(''), 'mine.txt': 'mine\n' });
    must(await start(user, hub));
    await step((at) => writeFiles(at, { 'list.txt': LINES.with(1, 'mine\n').with(18, 'theirs\n').join('') }));
    must(await pull());
    expect(git(user, 'diff', '--name-only', 'main', BRANCH)).toBe('list.txt');
    expect(fileIn(user, BRANCH, 'list.txt')).toBe(LINES.with(18, 'theirs\n').join(''));
  });

  it('with `merge`, brings the work next to what the user did meanwhile, uncommitted and staged', async () => {
    writeFiles(user, { 'list.txt': LINES.with(1, 'before\n').join('') });
    must(await start(user, hub));
    await step((at) => {
      writeFiles(at, { 'list.txt': LINES.with(1, 'before\n').with(18, 'run\n').join(''), 'new.sh': 'x\n' });
      fs.chmodSync(join(at, 'new.sh'), 0o755);
      fs.rmSync(join(at, 'gone.txt'));
    });
    writeFiles(user, { 'list.txt': LINES.with(1, 'after\n').join(''), 'staged.txt': 'staged\n' });
    git(user, 'add', 'staged.txt');
    const index = git(user, 'ls-files', '--stage');
    const pulled = must(await pull(true));
    expect(pulled).toMatchObject({ brought: { files: ['gone.txt', 'list.txt', 'new.sh'] } });
    expect(fs.readFileSync(join(user, 'list.txt'), 'utf8')).toBe(
      LINES.with(1, 'after\n').with(18, 'run\n').join(''),
    );
    expect(fs.statSync(join(user, 'new.sh')).mode & 0o111).toBe(0o111);
    expect(fs.existsSync(join(user, 'gone.txt'))).toBe(false);
    expect(git(user, 'ls-files', '--stage')).toBe(index);
    expect(git(user, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  });

  it('names the files of a conflict, and changes nothing', async () => {
    must(await start(user, hub));
    await step((at) => writeFiles(at, { 'list.txt': LINES.with(1, 'run\n').join('') }));
    writeFiles(user, { 'list.txt': LINES.with(1, 'user\n').join('') });
    expect(await pull(true)).toEqual({
      type: 'error',
      error: { type: 'conflict', files: ['list.txt'], branch: BRANCH },
    });
    expect(fs.readFileSync(join(user, 'list.txt'), 'utf8')).toBe(LINES.with(1, 'user\n').join(''));
    expect(fileIn(user, BRANCH, 'list.txt')).toBe(LINES.with(1, 'run\n').join(''));
  });

  it('can be repeated while the run continues: each part is brought in once', async () => {
    must(await start(user, hub));
    await step((at) => writeFiles(at, { 'one.txt': '1\n' }));
    must(await pull(true));
    // The user has accepted the first part and changed it.
    writeFiles(user, { 'one.txt': 'changed by the user\n' });
    expect(must(await pull(true))).toMatchObject({ files: ['one.txt'] });
    await step((at) => writeFiles(at, { 'two.txt': '2\n' }));
    expect(must(await pull(true))).toMatchObject({
      files: ['one.txt', 'two.txt'],
      brought: { files: ['two.txt'] },
    });
    expect(fs.readFileSync(join(user, 'one.txt'), 'utf8')).toBe('changed by the user\n');
    expect(git(user, 'show', `${BRANCH}:two.txt`)).toBe('2');
  });

  it('leaves a branch alone that the user has changed or checked out', async () => {
    must(await start(user, hub));
    await step((at) => writeFiles(at, { 'one.txt': '1\n' }));
    must(await pull());
    const elsewhere = join(temporaryFolder(), 'elsewhere');
    git(user, 'worktree', 'add', '--quiet', elsewhere, BRANCH);
    await step((at) => writeFiles(at, { 'two.txt': '2\n' }));
    expect(must(await pull())).toEqual({ type: 'branch-in-use', branch: BRANCH, folder: elsewhere });
    git(
      elsewhere,
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@b',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'mine',
    );
    const mine = git(elsewhere, 'rev-parse', 'HEAD');
    git(user, 'worktree', 'remove', '--force', elsewhere);
    expect(must(await pull())).toEqual({ type: 'branch-changed', branch: BRANCH });
    expect(git(user, 'rev-parse', BRANCH)).toBe(mine);
  });

  it('works in another clone of the project, and says if there is no such run', async () => {
    expect(must(await pull())).toEqual({ type: 'not-in-hub' });
    must(await start(user, hub));
    await step((at) => writeFiles(at, { 'one.txt': '1\n' }));
    const folder = temporaryFolder();
    git(folder, 'clone', '--quiet', user, 'other');
    const other = join(folder, 'other');
    expect(must(await pull(true, other))).toMatchObject({ brought: { files: ['one.txt'] } });
    expect(fs.readFileSync(join(other, 'one.txt'), 'utf8')).toBe('1\n');
  });
});
