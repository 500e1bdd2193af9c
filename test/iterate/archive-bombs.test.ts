/** Small archives that unpack to more than the disk or memory can hold. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { padding, renderHeader, type TarEntry } from '../../src/store/archive/tar-format.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { Project } from './rig.ts';

const MIB = 1024 * 1024;
const NAME = 'bomb-2026-01-01T00-00-00';
const PLACE = `claude-iterate/archive/${NAME}.tar.gz`;
const TOO_MUCH =
  'it unpacks to more than 512 MiB and 200 times its size; unpack it with `tar` if you trust it';

function header(entry: Pick<TarEntry, 'path' | 'size'> & Partial<TarEntry>): Buffer {
  return renderHeader({ type: 'file', mode: 0o644, mtime: 0, ...entry });
}

/** A file of that many zero bytes, made by repeating one gzip member. */
function zeros(name: string, mib: number): readonly Buffer[] {
  const member = zlib.gzipSync(Buffer.alloc(MIB));
  return [zlib.gzipSync(header({ path: name, size: mib * MIB })), ...Array<Buffer>(mib).fill(member)];
}

function file(name: string, text: string): Buffer {
  const body = Buffer.from(text);
  return zlib.gzipSync(
    Buffer.concat([header({ path: name, size: body.length }), body, padding(body.length)]),
  );
}

const END = zlib.gzipSync(Buffer.alloc(1024));

async function holding(...parts: readonly Buffer[]): Promise<Project> {
  const project = new Project();
  fs.mkdirSync(path.join(project.folder, path.dirname(PLACE)), { recursive: true });
  fs.writeFileSync(path.join(project.folder, PLACE), Buffer.concat([...parts, END]));
  return project;
}

describe('an archive', () => {
  it.each(['working/x', '.metadata.json', '.archived.json'])(
    'with gigabytes of zeros as %s is neither shown nor restored',
    async (name) => {
      const project = await holding(...zeros(name, 1536));
      expect(await project.iterate(['archive', 'show', NAME])).toMatchObject({
        exitCode: 1,
        stderr: `error: Could not read the archive: ${TOO_MUCH}\n`,
      });
      expect(await project.iterate(['archive', 'restore', NAME])).toMatchObject({
        exitCode: 1,
        stderr: `error: Could not restore the archive: ${TOO_MUCH}\n`,
      });
      expect(project.list('claude-iterate/workspaces')).toEqual(['.gitignore']);
    },
  );

  it('with a huge document is shown without it', async () => {
    const project = await holding(...zeros('.metadata.json', 300));
    const ended = await project.iterate(['archive', 'show', NAME]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('Status:     unknown\n');
    expect(ended.stdout).toContain('  .metadata.json (314,572,800 bytes)\n');
  });

  it('that claims more than it contains is reported as truncated', async () => {
    const project = await holding(zlib.gzipSync(header({ path: 'x', size: 0o77777777777 })));
    expect(await project.iterate(['archive', 'show', NAME])).toMatchObject({
      exitCode: 1,
      stderr: 'error: Could not read the archive: it is truncated\n',
    });
  });

  it('with more than 64 MiB of file names is not read', async () => {
    const block = (batch: number): Buffer =>
      zlib.gzipSync(
        Buffer.concat(
          Array.from({ length: 100 }, (_, number) =>
            header({ path: `${batch}-${number}-${'n'.repeat(60_000)}`, size: 0 }),
          ),
        ),
      );
    const project = await holding(...Array.from({ length: 12 }, (_, batch) => block(batch)));
    expect(await project.iterate(['archive', 'show', NAME])).toMatchObject({
      exitCode: 1,
      stderr: 'error: Could not read the archive: the names of its files take more than 64 MiB\n',
    });
  });

  it('that is a pipe does not block', async () => {
    const project = await holding();
    fs.rmSync(path.join(project.folder, PLACE));
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    execFileSync('mkfifo', [path.join(project.folder, PLACE)]);
    for (const argv of [['list'], ['show', NAME], ['restore', NAME]]) {
      const ended = await project.iterate(['archive', ...argv]);
      expect(ended.stderr).not.toContain('internal error');
    }
  });

  it('of a conversation with gigabytes of zeros is not restored', async () => {
    const site = new Workspace();
    await site.run(['converse', 'init', 'talk']);
    fs.mkdirSync(path.join(site.folder, 'talk', 'archive'));
    const bomb = Buffer.concat([file('.archived.json', '{}'), ...zeros('state/one.json', 1536), END]);
    fs.writeFileSync(path.join(site.folder, 'talk', 'archive', 'one.tar.gz'), bomb);
    expect(await site.run(['converse', 'restore', 'talk/archive/one.tar.gz'])).toMatchObject({
      exitCode: 1,
      stderr: `error: cannot restore \`talk/archive/one.tar.gz\`: ${TOO_MUCH}\n`,
    });
    expect(site.list('talk/sessions')).toEqual([]);
  });
});
