import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/model/json.ts';
import { error, ok } from '../../src/model/result.ts';
import {
  createDocument,
  type DocumentParser,
  loadDocument,
  updateDocument,
} from '../../src/store/document.ts';
import { acquireLock } from '../../src/store/lock.ts';
import { folderForEach } from '../rig/temporary-folder.ts';
import { buildChild } from './child.ts';

const folder = folderForEach();
const path = () => join(folder.path, 'workflow.json');
const anyObject: DocumentParser<JsonObject> = (value) =>
  isJsonObject(value) ? ok(value) : error(['it is not an object']);

function load(text: string) {
  fs.writeFileSync(path(), text);
  return loadDocument(path(), anyObject);
}

describe('loading a document', () => {
  it('returns its data, with or without a byte order mark', () => {
    expect(load('{"a": [1, {"b": null}]}')).toEqual({ type: 'ok', value: { a: [1, { b: null }] } });
    expect(load('\ufeff{"a": 1}')).toEqual({ type: 'ok', value: { a: 1 } });
  });

  it('returns data in which no key is special', () => {
    const loaded = load(
      '{"__proto__": {"polluted": true}, "constructor": 1, "inner": {"__proto__": {"x": 1}}}',
    );
    if (loaded.type === 'error') throw new Error('not loaded');
    expect(Object.getPrototypeOf(loaded.value)).toBeNull();
    expect(Object.keys(loaded.value)).toEqual(['__proto__', 'constructor', 'inner']);
    expect(loaded.value.polluted).toBeUndefined();
    expect(loaded.value.toString).toBeUndefined();
    expect(({} as JsonObject).polluted).toBeUndefined();
  });

  it.each([
    ['{\n  "a": 1,\n  "b" 2\n}', 3, 7, 'expected `:`, found `2`'],
    ['{\n  "a": 1,\n}', 3, 1, 'expected a key in double quotes, found `}`'],
    ['{"a": 1 "b": 2}', 1, 9, 'expected `,` or `}`, found `"`'],
    ['[1, 2', 1, 6, 'expected `,` or `]`, found the end of the file'],
    ['{"a": tru}', 1, 7, 'expected a value, found `t`'],
    ['{"a": 1}\n{}', 2, 1, 'expected the end of the file, found `{`'],
    ['', 1, 1, 'expected a value, found the end of the file'],
    ['{"a": "x\ny"}', 1, 7, 'this text has no closing quote or contains an invalid escape'],
    ['{"a": "\\x"}', 1, 7, 'this text has no closing quote or contains an invalid escape'],
    ["{'a': 1}", 1, 2, "expected a key in double quotes, found `'`"],
    ['{"a": 01}', 1, 8, 'expected `,` or `}`, found `1`'],
    ['\0\0\0', 1, 1, 'expected a value, found `\\u0000`'],
  ])('reports where %j is not JSON', (text, line, column, message) => {
    expect(load(text)).toEqual({
      type: 'error',
      error: {
        type: 'not-json',
        path: path(),
        line,
        column,
        message: `\`${path()}\` line ${line}: ${message}`,
      },
    });
  });

  it('reports everything that the parser found wrong', () => {
    expect(load('[]')).toEqual({
      type: 'error',
      error: {
        type: 'invalid',
        path: path(),
        problems: ['it is not an object'],
        message: `\`${path()}\` is not valid: it is not an object`,
      },
    });
  });

  it('rejects a document that is nested too deeply', () => {
    expect(load(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toMatchObject({
      type: 'error',
      error: { type: 'not-json' },
    });
  });

  it('distinguishes a missing file from one that cannot be read', () => {
    expect(loadDocument(path(), anyObject)).toMatchObject({ type: 'error', error: { type: 'missing' } });
    expect(loadDocument(folder.path, anyObject)).toMatchObject({
      type: 'error',
      error: {
        type: 'file-error',
        code: 'EISDIR',
        message: `cannot read \`${folder.path}\`: it is a folder (EISDIR)`,
      },
    });
  });
});

describe('changing a document', () => {
  it('keeps unknown fields, and the file’s mode', async () => {
    fs.writeFileSync(path(), '{"count": 1, "note": {"of": "a person"}}', { mode: 0o640 });
    await updateDocument(path(), anyObject, (document) => ({ ...document, count: 2 }));
    expect(fs.readFileSync(path(), 'utf8')).toBe(
      '{\n  "count": 2,\n  "note": {\n    "of": "a person"\n  }\n}\n',
    );
    expect(fs.statSync(path()).mode & 0o777).toBe(0o640);
    expect(fs.readdirSync(folder.path)).toEqual(['workflow.json']);
  });

  it('does not write the file if nothing is changed', async () => {
    fs.writeFileSync(path(), '{"count":1}');
    const { ino, mtimeMs } = fs.statSync(path());
    expect(await updateDocument(path(), anyObject, (document) => document)).toEqual({
      type: 'ok',
      value: { count: 1 },
    });
    expect(fs.statSync(path())).toMatchObject({ ino, mtimeMs });
  });

  it('does not change a damaged file', async () => {
    fs.writeFileSync(path(), '{"count":');
    expect(await updateDocument(path(), anyObject, () => ({}))).toMatchObject({ type: 'error' });
    expect(fs.readFileSync(path(), 'utf8')).toBe('{"count":');
  });

  it('loses no change among eight processes', async () => {
    fs.writeFileSync(path(), '{"count": 0, "other": "kept"}');
    const program = await buildChild('./document-child.ts', import.meta.url);
    const children = Array.from({ length: 8 }, () => program.start(path(), '125'));
    expect(await Promise.all(children.map((child) => child.ended()))).toEqual(Array(8).fill(0));
    program.remove();
    expect(JSON.parse(fs.readFileSync(path(), 'utf8'))).toEqual({ count: 1000, other: 'kept' });
    expect(fs.readdirSync(folder.path)).toEqual(['workflow.json']);
  });

  it('waits for another process that is changing it', async () => {
    fs.writeFileSync(path(), '{"count": 1}');
    const lock = acquireLock(`${path()}.lock`);
    if (lock.type === 'error') throw new Error('held');
    const updating = updateDocument(path(), anyObject, (document) => ({ ...document, count: 2 }));
    expect(fs.readFileSync(path(), 'utf8')).toBe('{"count": 1}');
    lock.value.release();
    expect(await updating).toEqual({ type: 'ok', value: { count: 2 } });
  });

  it('rethrows a bug in the change, and releases the lock', async () => {
    fs.writeFileSync(path(), '{}');
    const buggy = updateDocument(path(), anyObject, () => {
      throw new TypeError('a bug');
    });
    await expect(buggy).rejects.toThrow('a bug');
    expect(fs.readdirSync(folder.path)).toEqual(['workflow.json']);
  });
});

it('creates a document once', async () => {
  expect(await createDocument(path(), { a: 1 })).toEqual({ type: 'ok', value: { a: 1 } });
  expect(await createDocument(path(), { a: 2 })).toMatchObject({ type: 'error', error: { type: 'exists' } });
  expect(fs.readFileSync(path(), 'utf8')).toBe('{\n  "a": 1\n}\n');
});
