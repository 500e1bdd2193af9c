import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFile } from '../../src/effects/read-file.ts';
import { updateDocumentEffect } from '../../src/effects/update-document.ts';
import { writeFile } from '../../src/effects/write-file.ts';
import type { EffectContext } from '../../src/engine/durable.ts';
import { stepKey } from '../../src/model/ids.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

function contextIn(workspace: string): EffectContext {
  return {
    key: stepKey('k'),
    attempt: 1,
    signal: new AbortController().signal,
    run: { runId: 'r', directory: workspace, workspace },
    emit() {},
    processStarted() {},
  };
}

describe('update-document', () => {
  it('changes the given fields and keeps all others', async () => {
    const folder = temporaryFolder();
    fs.writeFileSync(path.join(folder, 'd.json'), '{"a": 1, "theirs": {"x": [1]}, "list": ["p"]}');
    const { document, failure } = await updateDocumentEffect(
      {
        path: 'd.json',
        changes: [
          { type: 'set', at: ['a'], value: 2 },
          { type: 'set', at: ['theirs', 'y'], value: 'new' },
          { type: 'add', at: ['list'], value: 'q' },
        ],
      },
      contextIn(folder),
    );
    expect(failure).toBeUndefined();
    const expected = { a: 2, theirs: { x: [1], y: 'new' }, list: ['p', 'q'] };
    expect(JSON.parse(JSON.stringify(document))).toEqual(expected);
    expect(JSON.parse(fs.readFileSync(path.join(folder, 'd.json'), 'utf8'))).toEqual(expected);
  });

  it('can be repeated without harm, as after a kill', async () => {
    const folder = temporaryFolder();
    const input = {
      path: 'sub/d.json',
      create: { list: [] },
      changes: [{ type: 'add', at: ['list'], value: { id: 1 } }] as const,
    };
    await updateDocumentEffect(input, contextIn(folder));
    const { document } = await updateDocumentEffect(input, contextIn(folder));
    expect(JSON.parse(JSON.stringify(document))).toEqual({ list: [{ id: 1 }] });
  });

  it('refuses a document that is missing, broken or outside the workspace', async () => {
    const folder = temporaryFolder();
    fs.writeFileSync(path.join(folder, 'broken.json'), '{"a": ');
    const changes = [{ type: 'set', at: ['a'], value: 1 }] as const;
    const update = async (name: string) =>
      (await updateDocumentEffect({ path: name, changes }, contextIn(folder))).failure?.type;
    expect(await update('missing.json')).toBe('file');
    expect(await update('broken.json')).toBe('invalid-output');
    expect(await update('../outside.json')).toBe('unsafe-path');
    expect(fs.readFileSync(path.join(folder, 'broken.json'), 'utf8')).toBe('{"a": ');
  });

  it('treats every key as plain data', async () => {
    const folder = temporaryFolder();
    await updateDocumentEffect(
      { path: 'd.json', create: {}, changes: [{ type: 'set', at: ['__proto__', 'polluted'], value: true }] },
      contextIn(folder),
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(fs.readFileSync(path.join(folder, 'd.json'), 'utf8')).toContain('__proto__');
  });
});

describe('read-file and write-file', () => {
  it('return exactly what was written', async () => {
    const folder = temporaryFolder();
    expect(await writeFile({ path: 'a/b/c.md', text: 'héllo\n', mode: 0o600 }, contextIn(folder))).toEqual(
      {},
    );
    expect(fs.statSync(path.join(folder, 'a/b/c.md')).mode & 0o777).toBe(0o600);
    expect(await readFile({ path: 'a/b/c.md' }, contextIn(folder))).toEqual({ text: 'héllo\n' });
  });

  it('report that a file is missing or truncated, and refuse paths outside', async () => {
    const folder = temporaryFolder();
    fs.writeFileSync(path.join(folder, 'f'), 'aé');
    const outside = temporaryFolder();
    fs.writeFileSync(path.join(outside, 'secret'), '');
    fs.symlinkSync(outside, path.join(folder, 'out'));
    expect(await readFile({ path: 'none' }, contextIn(folder))).toEqual({});
    expect(await readFile({ path: 'f', maxBytes: 2 }, contextIn(folder))).toEqual({
      text: 'a',
      truncated: true,
    });
    expect((await readFile({ path: 'out/secret' }, contextIn(folder))).failure?.type).toBe('unsafe-path');
    expect((await writeFile({ path: 'out/x', text: '' }, contextIn(folder))).failure?.type).toBe(
      'unsafe-path',
    );
    expect(fs.readdirSync(outside)).toEqual(['secret']);
  });
});
