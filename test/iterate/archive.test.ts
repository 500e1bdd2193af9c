import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  archiveHolding,
  findArchive,
  restoreArchive,
  saveArchive,
} from '../../src/iterate/archive/archives.ts';
import { padding, renderHeader, type TarEntry } from '../../src/store/archive/tar-format.ts';
import { temporaryPath } from '../../src/store/temporary-name.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

interface Part extends Partial<TarEntry> {
  readonly path: string;
  readonly text?: string;
}

const METADATA: Part = { path: '.metadata.json', text: '{"name":"ws"}' };

function tar(parts: readonly Part[]): Buffer {
  const blocks = parts.flatMap(({ text = '', ...entry }) => {
    const body = Buffer.from(text);
    const header = renderHeader({ type: 'file', size: body.length, mode: 0o644, mtime: 0, ...entry });
    return [header, body, padding(body.length)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A header with another type. */
function flagged(entry: TarEntry, flag: string): Buffer {
  const header = renderHeader(entry);
  header.write(flag, 156);
  header.write(' '.repeat(8), 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

interface Site {
  readonly root: string;
  restore(bytes: Buffer): ReturnType<typeof restoreArchive>;
  files(): readonly string[];
}

function site(): Site {
  const root = temporaryFolder();
  const archives = path.join(root, 'archives');
  const workspaces = path.join(root, 'inner', 'workspaces');
  fs.mkdirSync(archives);
  return {
    root,
    restore(bytes) {
      fs.writeFileSync(path.join(archives, 'ws-2026-01-31T12-00-00.tar.gz'), bytes);
      const archive = findArchive(archives, 'ws-2026-01-31T12-00-00');
      if (archive === undefined) throw new Error('no archive');
      return restoreArchive(archive, workspaces, 'ws');
    },
    files: () =>
      fs
        .readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => !name.startsWith('archives'))
        .sort(),
  };
}

describe('restoring an archive', () => {
  it.each([
    '../evil.txt',
    'a/../../evil.txt',
    '/nowhere/evil.txt',
    'a/..',
    'C:\\evil.txt',
    '..\\evil.txt',
    '.',
  ])('refuses the path %s and leaves nothing behind', async (evil) => {
    const { restore, files } = site();
    const restored = await restore(gzipSync(tar([METADATA, { path: evil, text: 'evil' }])));
    expect(restored.type).toBe('error');
    expect(files()).toEqual(['inner', 'inner/workspaces', 'inner/workspaces/.gitignore']);
  });

  it('writes nothing through a link, whichever comes first', async () => {
    for (const parts of [
      [{ path: 'out', type: 'link', target: '../../..' } as const, { path: 'out/evil.txt', text: 'x' }],
      [{ path: 'out/evil.txt', text: 'x' }, { path: 'out', type: 'link', target: '../../..' } as const],
      [
        { path: 'here', type: 'link', target: '.' } as const,
        { path: 'up', type: 'link', target: 'here/..' } as const,
        { path: 'up/evil', type: 'link', target: '.metadata.json' } as const,
      ],
    ]) {
      const { root, restore } = site();
      await restore(gzipSync(tar([METADATA, ...parts])));
      expect(fs.existsSync(path.join(root, 'evil.txt'))).toBe(false);
      expect(fs.existsSync(path.join(root, 'inner', 'evil.txt'))).toBe(false);
      expect(fs.existsSync(path.join(root, 'inner', 'workspaces', 'evil'))).toBe(false);
    }
  });

  it.each([['/etc/passwd'], ['../x'], ['a/../../x'], ['..'], ['a\\b']])(
    'omits a link to %s',
    async (target) => {
      const { restore, files } = site();
      const restored = await restore(gzipSync(tar([METADATA, { path: 'link', type: 'link', target }])));
      expect(restored).toMatchObject({ type: 'ok', value: { leftOut: ['link'] } });
      expect(files()).not.toContain('inner/workspaces/ws/link');
    },
  );

  it('refuses a duplicate path', async () => {
    const { restore } = site();
    const restored = await restore(
      gzipSync(tar([METADATA, { path: 'a', text: '1' }, { path: './a', text: '2' }])),
    );
    expect(restored).toEqual({ type: 'error', error: '`./a` occurs twice in it' });
  });

  it('refuses a truncated or damaged file, and one that is not an archive of a workspace', async () => {
    const whole = tar([METADATA, { path: 'a', text: 'x'.repeat(2000) }]);
    const damaged = Buffer.from(whole);
    damaged[3] = 0x7a;
    for (const [bytes, reason] of [
      [gzipSync(whole.subarray(0, 1600)), 'it is truncated'],
      [gzipSync(whole).subarray(0, 40), 'it is damaged, or not a .tar.gz file'],
      [gzipSync(damaged), 'a header is damaged'],
      [Buffer.from('hello'), 'it is damaged, or not a .tar.gz file'],
      [
        gzipSync(tar([{ path: 'a', text: 'x' }])),
        'it does not contain a workspace: .metadata.json not found',
      ],
    ] as const) {
      const { restore, files } = site();
      expect(await restore(bytes)).toEqual({ type: 'error', error: reason });
      expect(files()).toEqual(['inner', 'inner/workspaces', 'inner/workspaces/.gitignore']);
    }
  });

  it('refuses devices and other kinds of entries', async () => {
    const header = flagged({ path: 'dev', type: 'file', size: 0, mode: 0o644, mtime: 0 }, '3');
    const { restore } = site();
    const restored = await restore(gzipSync(Buffer.concat([header, tar([METADATA])])));
    expect(restored).toEqual({ type: 'error', error: '`dev` is neither file, folder nor link' });
  });

  it.each(['ustar', 'gnu', 'pax', 'v7'])(
    'reads an archive written by GNU tar in the format %s',
    async (format) => {
      const { root, restore } = site();
      const from = path.join(root, 'archives', 'from');
      // Up to 99 bytes fit into every format.
      const folder = format === 'v7' ? 'd' : path.join('d'.repeat(90), 'e'.repeat(90));
      fs.mkdirSync(path.join(from, folder), { recursive: true });
      fs.writeFileSync(path.join(from, '.metadata.json'), '{"name":"ws"}');
      fs.writeFileSync(path.join(from, folder, 'f.txt'), 'deep');
      const target = format === 'gnu' || format === 'pax' ? path.join(folder, 'f.txt') : '.metadata.json';
      fs.symlinkSync(target, path.join(from, 'link'));
      const names = ['.metadata.json', 'link', folder.split('/')[0] ?? ''];
      const made = spawnSync('tar', [
        'czf',
        '-',
        `--format=${format}`,
        '--owner=0',
        '--group=0',
        '-C',
        from,
        ...names,
      ]);
      expect((await restore(made.stdout)).type).toBe('ok');
      const restored = path.join(root, 'inner/workspaces/ws');
      expect(fs.readFileSync(path.join(restored, folder, 'f.txt'), 'utf8')).toBe('deep');
      expect(fs.readlinkSync(path.join(restored, 'link'))).toBe(target);
    },
  );

  it('reads times before 1970 and records about the whole archive', async () => {
    const { root, restore } = site();
    const from = path.join(root, 'archives', 'from');
    fs.mkdirSync(from, { recursive: true });
    fs.writeFileSync(path.join(from, '.metadata.json'), '{"name":"ws"}');
    fs.utimesSync(path.join(from, '.metadata.json'), -1000, -1000);
    const formats = [['--format=gnu'], ['--format=pax', '--pax-option=comment=of the whole']];
    for (const options of formats) {
      const made = spawnSync('tar', ['czf', '-', ...options, '-C', from, '.metadata.json']);
      expect((await restore(made.stdout)).type).toBe('ok');
      const restored = path.join(root, 'inner/workspaces/ws');
      expect(fs.readFileSync(path.join(restored, '.metadata.json'), 'utf8')).toContain('"ws"');
      fs.rmSync(restored, { recursive: true });
    }
  });

  it.each(['L', 'K', 'g', 'x'])('refuses a record %s that is too large', async (flag) => {
    const header = flagged({ path: 'r', type: 'file', size: 100_000, mode: 0, mtime: 0 }, flag);
    const { restore } = site();
    const bytes = gzipSync(Buffer.concat([header, Buffer.alloc(100_352, 'x'), tar([METADATA])]));
    expect(await restore(bytes)).toEqual({ type: 'error', error: 'a header is too large' });
  });

  it('does not let a long name of GNU tar lead outside', async () => {
    const name = Buffer.from('../evil.txt\0');
    const header = flagged(
      { path: '././@LongLink', type: 'file', size: name.length, mode: 0, mtime: 0 },
      'L',
    );
    const { root, restore } = site();
    const parts = [header, name, padding(name.length), tar([{ path: 'harmless', text: 'x' }, METADATA])];
    expect(await restore(gzipSync(Buffer.concat(parts)))).toEqual({
      type: 'error',
      error: '`../evil.txt` leads outside the workspace',
    });
    expect(fs.existsSync(path.join(root, 'inner/workspaces/evil.txt'))).toBe(false);
  });
});

describe('saving an archive', () => {
  it('omits temporary files, and still counts as complete', async () => {
    const root = temporaryFolder();
    const workspace = { name: 'ws', folder: path.join(root, 'ws') };
    fs.mkdirSync(path.join(workspace.folder, 'working'), { recursive: true });
    fs.writeFileSync(path.join(workspace.folder, '.metadata.json'), '{"name":"ws"}');
    fs.writeFileSync(path.join(workspace.folder, 'working', 'a.txt'), 'kept');
    for (const name of ['.lock', 'working/a.txt'])
      fs.writeFileSync(temporaryPath(path.join(workspace.folder, name)), 'on its way');
    const saved = await saveArchive(path.join(root, 'archives'), workspace, new Date());
    if (saved.type === 'error') throw new Error(saved.error);
    const restored = await restoreArchive(saved.value, path.join(root, 'restored'), 'ws');
    expect(restored.type).toBe('ok');
    expect(fs.readdirSync(path.join(root, 'restored', 'ws'), { recursive: true }).sort()).toEqual([
      '.metadata.json',
      'working',
      'working/a.txt',
    ]);
    expect(await archiveHolding(path.join(root, 'archives'), workspace)).toEqual(saved.value);
  });
});
