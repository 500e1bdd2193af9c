import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReadCacheInput } from '../../src/effects/contracts.ts';
import { createReadCache } from '../../src/effects/read-cache.ts';
import { createWriteCache } from '../../src/effects/write-cache.ts';
import type { WorkOutput } from '../../src/model/record.ts';
import { createSeals } from '../../src/store/seal.ts';
import { folderForEach, temporaryFolder } from '../rig/temporary-folder.ts';
import { effectContext, putFile } from './effect-site.ts';

const folder = folderForEach();
const at = (path: string) => join(folder.path, 'work', path);
const FIRST = '20260131T000000Z-first1';
const SECOND = '20260131T000000Z-secon2';

/** The seals of one user, whose key is in a folder beside the workspace. */
const seals = () => createSeals(join(folder.path, 'user'));
const readCache: ReturnType<typeof createReadCache> = (...call) => createReadCache(seals())(...call);
const writeCache: ReturnType<typeof createWriteCache> = (...call) => createWriteCache(seals())(...call);

const input = (given: Partial<ReadCacheInput> = {}): ReadCacheInput => ({
  basis: { command: ['make'], params: { b: 1, a: [1, 2] } },
  inputs: ['src/*.ts'],
  promptFiles: ['prompts/do.md'],
  ...given,
});
const read = (given?: Partial<ReadCacheInput>) =>
  readCache(input(given), effectContext(folder.path, { runId: SECOND }));
const output: WorkOutput = { exitCode: 0, outcome: 'done', output: 'built €', artifacts: ['out/a.bin'] };

async function remember(files: readonly string[] = ['out/a.bin', 'out/deep/b.txt']): Promise<string> {
  const { digest } = await read();
  expect(await writeCache({ digest, output, files }, effectContext(folder.path, { runId: FIRST }))).toEqual(
    {},
  );
  return digest;
}

beforeEach(() => {
  putFile(at('src/a.ts'), 'a');
  putFile(at('prompts/do.md'), 'do it');
  putFile(at('out/a.bin'), '\0\xff');
  putFile(at('out/deep/b.txt'), 'text');
  fs.chmodSync(at('out/a.bin'), 0o755);
});

describe('the cache', () => {
  it('returns an earlier result, and restores its files with their modes', async () => {
    const digest = await remember();
    fs.rmSync(at('out'), { recursive: true });
    expect(await read()).toEqual({ digest, hit: { runId: FIRST, output } });
    expect(fs.readFileSync(at('out/a.bin'), 'utf8')).toBe('\0\xff');
    expect(fs.statSync(at('out/a.bin')).mode & 0o777).toBe(0o755);
    expect(fs.readdirSync(at('out')).sort()).toEqual(['a.bin', 'deep']);
    expect(fs.readFileSync(at('out/deep/b.txt'), 'utf8')).toBe('text');
  });

  it('ignores entries of another user, and entries moved to the place of another', async () => {
    const digest = await remember();
    const other = createReadCache(createSeals(join(folder.path, 'other')));
    expect(await other(input(), effectContext(folder.path))).toEqual({ digest });
    const cache = at('.orchestrate/cache');
    const { digest: elsewhere } = await read({ basis: 'another step' });
    fs.cpSync(join(cache, digest), join(cache, elsewhere), { recursive: true });
    expect(await read({ basis: 'another step' })).toEqual({ digest: elsewhere });
  });

  it('replaces files that have changed since, and keeps those that have not', async () => {
    await remember();
    fs.writeFileSync(at('out/a.bin'), 'changed');
    const { ino } = fs.statSync(at('out/deep/b.txt'));
    expect((await read()).hit).toBeDefined();
    expect(fs.readFileSync(at('out/a.bin'), 'utf8')).toBe('\0\xff');
    expect(fs.statSync(at('out/deep/b.txt')).ino).toBe(ino);
  });

  it('ignores the order of keys', async () => {
    const digest = await remember();
    const reordered = { params: { a: [1, 2], b: 1 }, command: ['make'] };
    expect((await read({ basis: reordered })).digest).toBe(digest);
  });

  it.each<[string, () => void, Partial<ReadCacheInput>]>([
    ['the basis', () => {}, { basis: { command: ['make', 'all'] } }],
    ['an input’s contents', () => putFile(at('src/a.ts'), 'b'), {}],
    ['an input’s name', () => fs.renameSync(at('src/a.ts'), at('src/b.ts')), {}],
    ['the number of inputs', () => putFile(at('src/b.ts'), ''), {}],
    ['the prompt', () => putFile(at('prompts/do.md'), 'do it well'), {}],
    ['the prompt, which was removed', () => fs.rmSync(at('prompts/do.md')), {}],
    ['the patterns', () => {}, { inputs: ['src/a.*'] }],
    ['the prompt files', () => {}, { promptFiles: [] }],
  ])('has no result if %s has changed', async (_, change, given) => {
    const digest = await remember();
    change();
    const changed = await read(given);
    expect(changed.hit).toBeUndefined();
    expect(changed.digest).not.toBe(digest);
    expect(changed.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['its entry is truncated', (entry: string) => fs.truncateSync(join(entry, 'entry.json'), 30)],
    ['its entry is missing', (entry: string) => fs.rmSync(join(entry, 'entry.json'))],
    [
      'its entry has been changed',
      (entry: string) => {
        const path = join(entry, 'entry.json');
        fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('built', 'BUILT'));
      },
    ],
    ['a file of it is damaged', (entry: string) => fs.writeFileSync(join(entry, '1'), 'tExt')],
    ['a file of it is missing', (entry: string) => fs.rmSync(join(entry, '0'))],
  ])('forgets a result if %s, changes nothing, and can store it again', async (_, damage) => {
    const digest = await remember();
    damage(at(`.orchestrate/cache/${digest}`));
    fs.writeFileSync(at('out/a.bin'), 'mine');
    expect(await read()).toEqual({ digest });
    expect(fs.readFileSync(at('out/a.bin'), 'utf8')).toBe('mine');
    await remember();
    expect((await read()).hit).toBeDefined();
  });

  it('can store the same result twice, and contains nothing but entries', async () => {
    const digest = await remember();
    await remember();
    expect(fs.readdirSync(at('.orchestrate/cache'))).toEqual([digest]);
    expect(fs.statSync(at(`.orchestrate/cache/${digest}/entry.json`)).mode & 0o777).toBe(0o600);
  });

  it('stores nothing if a file is missing or leads outside', async () => {
    const { digest } = await read();
    putFile(join(folder.path, 'secret'), 'secret');
    fs.symlinkSync('../secret', at('link'));
    for (const path of ['none', 'link', '../secret']) {
      const written = await writeCache({ digest, output, files: [path] }, effectContext(folder.path));
      expect(written.failure).toBeDefined();
    }
    expect(fs.readdirSync(at('.orchestrate/cache'))).toEqual([]);
    expect(await read()).toEqual({ digest });
  });

  it('refuses inputs that lead out', async () => {
    expect(await read({ inputs: ['../*'] })).toMatchObject({ failure: { type: 'unsafe-path' } });
    expect(await read({ promptFiles: [join(temporaryFolder(), 'secret')] })).toMatchObject({
      failure: { type: 'unsafe-path' },
    });
  });
});
