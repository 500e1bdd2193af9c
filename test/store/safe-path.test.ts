import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  checkRelativePath,
  makeFolderInside,
  openInside,
  readFileInside,
  resolveInside,
} from '../../src/store/safe-path.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const folder = folderForEach();
let workspace = '';
beforeEach(() => {
  workspace = join(folder.path, 'work');
  fs.mkdirSync(join(workspace, 'sub'), { recursive: true });
  fs.mkdirSync(join(folder.path, 'work-too'));
  fs.mkdirSync(join(folder.path, 'outside'));
  fs.writeFileSync(join(folder.path, 'outside', 'secret'), 'secret');
});

const unsafe = (path: string, reason: string) => ({
  type: 'error',
  error: { type: 'unsafe-path', path, reason },
});
const LEADS_OUT = 'leads outside the workspace through a link';

describe('a declared path', () => {
  it.each([
    ['/etc/passwd', 'is absolute; it must be relative to the workspace'],
    ['\\\\host\\share', 'is absolute; it must be relative to the workspace'],
    ['C:\\Windows', 'is absolute; it must be relative to the workspace'],
    ['c:/Windows', 'is absolute; it must be relative to the workspace'],
    ['..', 'contains `..`; it must stay inside the workspace'],
    ['a/../../b', 'contains `..`; it must stay inside the workspace'],
    ['a\\..\\b', 'contains `..`; it must stay inside the workspace'],
    ['a\0b', 'contains a NUL character'],
    ['', 'is empty'],
  ])('%j is refused', (path, reason) => {
    expect(checkRelativePath(path)).toEqual(unsafe(path, reason));
    expect(resolveInside(workspace, path)).toEqual(unsafe(path, reason));
    expect(openInside(workspace, path, { to: 'write', makeFolders: true })).toMatchObject({ type: 'error' });
  });

  it.each([
    ['./a//b/', 'a/b'],
    ['.', '.'],
    ['..a/b..', '..a/b..'],
    ['a:b', 'a:b'],
  ])('%j is fine', (path, value) => {
    expect(checkRelativePath(path)).toEqual({ type: 'ok', value });
  });

  it('resolves to its real path, as far as it exists', () => {
    fs.symlinkSync('sub', join(workspace, 'alias'));
    expect(resolveInside(workspace, 'sub/x/y')).toEqual({ type: 'ok', value: join(workspace, 'sub/x/y') });
    expect(resolveInside(workspace, 'alias/x')).toEqual({ type: 'ok', value: join(workspace, 'sub/x') });
    expect(resolveInside(workspace, '.')).toEqual({ type: 'ok', value: workspace });
  });

  it('may belong to a workspace that is itself reached through a link', () => {
    const alias = join(folder.path, 'alias-of-work');
    fs.symlinkSync('work', alias);
    expect(resolveInside(alias, 'sub/x')).toEqual({ type: 'ok', value: join(workspace, 'sub/x') });
  });

  it('is refused if a link leads outside, even to a folder whose name has the same prefix', () => {
    fs.symlinkSync('../outside', join(workspace, 'out'));
    fs.symlinkSync('../work-too', join(workspace, 'neighbour'));
    expect(resolveInside(workspace, 'out/new')).toEqual(unsafe('out/new', LEADS_OUT));
    expect(resolveInside(workspace, 'out/secret')).toEqual(unsafe('out/secret', LEADS_OUT));
    expect(resolveInside(workspace, 'neighbour/x')).toEqual(unsafe('neighbour/x', LEADS_OUT));
  });

  it('is refused if it contains a broken link, since a new file there may be outside', () => {
    fs.symlinkSync('../outside/new', join(workspace, 'dangling'));
    const reason = 'is or contains a broken link';
    expect(resolveInside(workspace, 'dangling')).toEqual(unsafe('dangling', reason));
    expect(openInside(workspace, 'dangling', { to: 'write' })).toEqual(unsafe('dangling', reason));
    expect(fs.readdirSync(join(folder.path, 'outside'))).toEqual(['secret']);
  });

  it('through a file is a failure of the file system', () => {
    fs.writeFileSync(join(workspace, 'file'), '');
    expect(resolveInside(workspace, 'file/x')).toEqual({
      type: 'error',
      error: { type: 'file', operation: 'reach', path: 'file/x', code: 'ENOTDIR' },
    });
  });
});

describe('opening', () => {
  it('overwrites, appends, and reads', () => {
    write('a/b/file', 'first long text', 'write');
    write('a/b/file', 'second', 'write');
    write('a/b/file', ' and more', 'append');
    expect(readFileInside(workspace, 'a/b/file')).toEqual({
      type: 'ok',
      value: Buffer.from('second and more'),
    });
  });

  it('reports a missing file as a failure', () => {
    expect(readFileInside(workspace, 'none')).toEqual({
      type: 'error',
      error: { type: 'file', operation: 'read', path: 'none', code: 'ENOENT' },
    });
  });

  it('catches a folder that was replaced by a link between the check and the opening', () => {
    beforeNextOpening(exchangeFolder);
    expect(openInside(workspace, 'sub/secret', { to: 'write' })).toEqual(
      unsafe('sub/secret', 'was changed to lead outside the workspace'),
    );
    expect(fs.readFileSync(join(folder.path, 'outside', 'secret'), 'utf8')).toBe('secret');
  });

  it.each([
    ['a file', () => openInside(workspace, 'sub/made', { to: 'write' })],
    ['a folder', () => makeFolderInside(workspace, 'sub/made/deep')],
  ] as const)('creates %s nowhere else if its folder was replaced by a link', (_, make) => {
    beforeNextOpening(exchangeFolder);
    expect(make()).toMatchObject({ type: 'error', error: { type: 'unsafe-path' } });
    expect(fs.readdirSync(join(folder.path, 'outside'))).toEqual(['secret']);
  });

  it('catches a file that was replaced by a link between the check and the opening', () => {
    beforeNextOpening(() => fs.symlinkSync('../outside/secret', join(workspace, 'file')));
    expect(openInside(workspace, 'file', { to: 'write' })).toMatchObject({
      type: 'error',
      error: { type: 'file', code: 'ELOOP' },
    });
    expect(fs.readFileSync(join(folder.path, 'outside', 'secret'), 'utf8')).toBe('secret');
  });

  it('refuses a folder and does not block on a pipe', () => {
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    expect(readFileInside(workspace, 'pipe')).toEqual(unsafe('pipe', 'is not a regular file'));
    expect(openInside(workspace, 'pipe', { to: 'write' })).toMatchObject({
      type: 'error',
      error: { code: 'ENXIO' },
    });
    expect(readFileInside(workspace, 'sub')).toEqual(unsafe('sub', 'is a folder'));
  });
});

it('creates folders inside and nowhere else', () => {
  fs.symlinkSync('../outside', join(workspace, 'out'));
  expect(makeFolderInside(workspace, 'x/y/z')).toEqual({ type: 'ok', value: join(workspace, 'x/y/z') });
  expect(makeFolderInside(workspace, 'x/y/z')).toEqual({ type: 'ok', value: join(workspace, 'x/y/z') });
  expect(makeFolderInside(workspace, 'out/y')).toEqual(unsafe('out/y', LEADS_OUT));
  expect(fs.readdirSync(join(folder.path, 'outside'))).toEqual(['secret']);
});

function write(path: string, text: string, to: 'write' | 'append'): void {
  const opened = openInside(workspace, path, { to, makeFolders: true });
  if (opened.type === 'error') throw new Error(JSON.stringify(opened.error));
  fs.writeSync(opened.value.fd, text);
  fs.closeSync(opened.value.fd);
}

/** Runs at the moment that cannot be hit from outside: after the checks and before the file is opened. */
function beforeNextOpening(change: () => void): void {
  const { openSync } = fs;
  const restore = (): void => {
    fs.openSync = openSync;
  };
  onTestFinished(restore);
  const changeThenOpen: typeof fs.openSync = (...parameters) => {
    restore();
    change();
    return openSync(...parameters);
  };
  fs.openSync = changeThenOpen;
}

function exchangeFolder(): void {
  fs.rmdirSync(join(workspace, 'sub'));
  fs.symlinkSync('../outside', join(workspace, 'sub'));
}
