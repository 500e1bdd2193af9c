import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { placeFile, replaceFile } from '../../src/store/atomic-write.ts';
import { acquireLock } from '../../src/store/lock.ts';
import { makeFolder } from '../../src/store/make-folder.ts';
import { ownPath, realPath } from '../../src/store/own-path.ts';
import { appendPlain, copyPlain, openPlainTo, readPlainText } from '../../src/store/plain-file.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const folder = folderForEach();
let workspace = '';
let outside = '';
beforeEach(() => {
  workspace = join(folder.path, 'work');
  outside = join(folder.path, 'outside');
  fs.mkdirSync(join(workspace, 'own'), { recursive: true });
  fs.mkdirSync(outside);
  fs.writeFileSync(join(outside, 'canary'), 'canary\n');
});

function write(path: string, to: 'append' | 'extend' | 'write' | 'create'): void {
  const fd = openPlainTo(path, { to });
  fs.writeSync(fd, 'more\n');
  fs.closeSync(fd);
}

const USES: { readonly [use: string]: (path: string) => unknown } = {
  read: readPlainText,
  'appended to': (path) => appendPlain(path, 'more\n'),
  extended: (path) => write(path, 'extend'),
  written: (path) => write(path, 'write'),
  created: (path) => write(path, 'create'),
  replaced: (path) => replaceFile(path, 'more\n'),
  placed: (path) => placeFile(path, 'more\n'),
  locked: (path) => acquireLock(path),
  'made a folder': makeFolder,
  'copied to': (path) => copyPlain(join(workspace, 'own', 'source'), path),
};
const untouched = (): void => {
  expect(fs.readdirSync(outside)).toEqual(['canary']);
  expect(fs.readFileSync(join(outside, 'canary'), 'utf8')).toBe('canary\n');
};

describe('a file of the program', () => {
  it.each(Object.keys(USES))('is not %s through a folder that is a link', (use) => {
    fs.writeFileSync(join(workspace, 'own', 'source'), 'x');
    fs.symlinkSync(outside, join(workspace, 'linked'));
    for (const name of use === 'read' ? ['canary'] : ['canary', 'new']) {
      expect(() => USES[use]?.(join(workspace, 'linked', name))).toThrow(
        expect.objectContaining({ code: 'ELOOP' }),
      );
    }
    untouched();
  });

  it.each(['read', 'appended to', 'extended', 'written'])('is not %s if it is a link itself', (use) => {
    const path = join(workspace, 'own', 'file');
    fs.symlinkSync(join(outside, 'canary'), path);
    expect(() => USES[use]?.(path)).toThrow(expect.objectContaining({ code: 'ELOOP', path }));
    untouched();
  });

  it('replaces a link in its place', () => {
    const path = join(workspace, 'own', 'file');
    fs.symlinkSync(join(outside, 'canary'), path);
    replaceFile(path, 'own\n');
    expect(fs.lstatSync(path).isFile()).toBe(true);
    untouched();
  });

  it.each(['appended to', 'extended', 'written'])('that has a hard link is replaced when it is %s', (use) => {
    const path = join(workspace, 'own', 'file');
    fs.linkSync(join(outside, 'canary'), path);
    USES[use]?.(path);
    expect(fs.readFileSync(path, 'utf8')).toBe(use === 'written' ? 'more\n' : 'canary\nmore\n');
    expect(fs.statSync(path).nlink).toBe(1);
    expect(fs.readdirSync(join(workspace, 'own'))).toEqual(['file']);
    untouched();
  });

  it.each(['read', 'appended to', 'extended', 'written'])('that is a pipe never blocks: %s', (use) => {
    const path = join(workspace, 'own', 'pipe');
    execFileSync('mkfifo', [path]);
    expect(() => USES[use]?.(path)).toThrow(expect.objectContaining({ code: 'EFTYPE', path }));
  });

  it('must not be a socket or a folder', async () => {
    const path = join(workspace, 'own', 'socket');
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    expect(() => readPlainText(path)).toThrow(expect.objectContaining({ code: 'EFTYPE', path }));
    expect(() => readPlainText(join(workspace, 'own'))).toThrow(expect.objectContaining({ code: 'EISDIR' }));
  });

  it('is not read at once if it is enormous', () => {
    const path = join(workspace, 'own', 'huge');
    fs.writeFileSync(path, '');
    fs.truncateSync(path, 300 * 1024 * 1024);
    expect(() => readPlainText(path)).toThrow(expect.objectContaining({ code: 'EOVERFLOW', path }));
  });

  it('is read completely while others replace it', async () => {
    const path = join(workspace, 'own', 'file');
    const script = `const fs = require('node:fs'); for (;;) { fs.writeFileSync(${JSON.stringify(`${path}.new`)}, 'whole'); fs.renameSync(${JSON.stringify(`${path}.new`)}, ${JSON.stringify(path)}); }`;
    fs.writeFileSync(path, 'whole');
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    for (let count = 0; count < 2000; count += 1) expect(readPlainText(path)).toBe('whole');
    child.kill('SIGKILL');
    await gone;
  });
});

describe('the path of a folder of the program', () => {
  it('is real if a link stays inside the workspace, even before the folder exists', () => {
    fs.symlinkSync('own', join(workspace, 'alias'));
    expect(ownPath(workspace, 'alias')).toBe(join(workspace, 'own'));
    expect(ownPath(workspace, 'alias/state/deep')).toBe(join(workspace, 'own/state/deep'));
    makeFolder(ownPath(workspace, 'alias/state/deep'));
    expect(fs.statSync(join(workspace, 'own/state/deep')).isDirectory()).toBe(true);
  });

  it('stays as it is if a link leads outside, so that it is refused', () => {
    fs.symlinkSync(outside, join(workspace, 'linked'));
    expect(ownPath(workspace, 'linked')).toBe(join(workspace, 'linked'));
    expect(ownPath(workspace, 'linked/state')).toBe(join(workspace, 'linked/state'));
    expect(() => makeFolder(ownPath(workspace, 'linked/state'))).toThrow(
      expect.objectContaining({ code: 'ELOOP' }),
    );
    untouched();
  });

  it('starts at the real path of the workspace', () => {
    fs.symlinkSync(workspace, join(folder.path, 'by-link'));
    expect(ownPath(join(folder.path, 'by-link'), 'own/x')).toBe(join(workspace, 'own/x'));
    expect(realPath(join(folder.path, 'by-link', 'own', 'new', 'x'))).toBe(join(workspace, 'own/new/x'));
  });

  it('is not led outside by a broken link', () => {
    fs.symlinkSync(join(outside, 'later'), join(workspace, 'own', 'dangling'));
    expect(() => makeFolder(join(workspace, 'own', 'dangling'))).toThrow(
      expect.objectContaining({ code: 'ELOOP' }),
    );
    untouched();
  });
});

describe('an error of the file system', () => {
  it('names the file by the path that the user knows', () => {
    const path = join(workspace, 'own', 'file');
    fs.mkdirSync(path);
    expect(() => replaceFile(path, 'x')).toThrow(expect.objectContaining({ dest: path }));
  });
});
