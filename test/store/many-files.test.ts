import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type NativeFunctions, provideNativeFunctions } from '../../src/model/native-functions.ts';
import { loadNative } from '../../src/process/native.ts';
import { readOfMany } from '../../src/store/many-files.ts';
import { buildNative } from '../process/build-helpers.ts';
import { createBench } from '../process/rig.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const bench = createBench();
buildNative(bench);
const native = loadNative(bench.folder);
afterAll(() => provideNativeFunctions(() => undefined));

const PARTS: readonly (readonly [string, NativeFunctions | undefined])[] = [
  ['without the native part', undefined],
  ...(native === undefined ? [] : [['with the native part', native] as const]),
];

describe.each(PARTS)('one of many files, %s', (_, functions) => {
  const folder = folderForEach();
  const at = (name: string): string => join(folder.path, name);
  const read = (name: string): string | undefined => {
    provideNativeFunctions(() => functions);
    return readOfMany(at(name));
  };

  it('has the text that Node reads, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' })), (content) => {
        fs.writeFileSync(at('any'), content);
        expect(read('any')).toBe(fs.readFileSync(at('any'), 'utf8'));
      }),
      { numRuns: 500 },
    );
  });

  it.each([0, 1, 65_535, 65_536, 65_537, 300_000])('is read whole if it has %i bytes', (length) => {
    fs.writeFileSync(at('long'), 'é'.repeat(length / 2) + 'x'.repeat(length % 2));
    expect(read('long')).toBe(fs.readFileSync(at('long'), 'utf8'));
  });

  it('may have any name', () => {
    const names = ['IMPL-1.json', 'ä 漢 💥', 'x'.repeat(255), '-'];
    for (const name of names) fs.writeFileSync(at(name), name);
    expect(names.map(read)).toEqual(names);
  });

  it('is undefined if it is missing', () => {
    expect([read('missing'), read('missing/too')]).toEqual([undefined, undefined]);
  });

  it('is refused if it is a link, a folder or a pipe, which is never waited for', () => {
    fs.writeFileSync(at('file'), 'text');
    fs.symlinkSync(at('file'), at('link'));
    fs.symlinkSync(at('nowhere'), at('broken'));
    fs.mkdirSync(at('folder'));
    execFileSync('mkfifo', [at('pipe')]);
    expect(() => read('link')).toThrow('ELOOP');
    expect(() => read('broken')).toThrow('ELOOP');
    expect(() => read('folder')).toThrow('EISDIR');
    expect(() => read('pipe')).toThrow('EFTYPE');
  });

  it('is refused with a name that ends early', () => {
    fs.writeFileSync(at('cut'), 'text');
    expect(() => read('cut\0.json')).toThrow();
  });
});
