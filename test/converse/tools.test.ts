import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { ask, BUILTINS, once, resultsOf, Talk, text } from './rig.ts';

describe('the built-in tools', () => {
  it('read, write, list, search and run', async () => {
    const talk = once(
      [
        ask('t1', 'read_file', { path: 'a.txt' }),
        ask('t2', 'write_file', { path: 'deep/b.txt', content: 'gamma\n' }),
        ask('t3', 'list_files', { glob: '**/*.txt' }),
        // The second is in the prompt, a file of the conversation itself.
        ask('t4', 'search', { pattern: '^[bg]|^You are', glob: '**/*.txt' }),
        ask('t5', 'run_command', { argv: ['cat', 'deep/b.txt'] }),
        ask('t6', 'read_file', { path: 'a.txt', offset: 6, limit: 3 }),
      ],
      BUILTINS,
    );
    expect(await resultsOf(talk)).toEqual([
      ['success', 'alpha\nbeta\n'],
      ['success', 'wrote 6 bytes to `deep/b.txt`\n'],
      ['success', 'a.txt\ndeep/b.txt\n'],
      ['success', 'a.txt:2: beta\ndeep/b.txt:1: gamma\n'],
      ['success', 'gamma\n'],
      ['success', 'bet\n[bytes 6 to 9 of 11 of `a.txt`; continue with `offset` 9]\n'],
    ]);
  });

  it('stay inside the root, however they are asked to leave it', async () => {
    const outside = 'must stay inside the workspace';
    const talk = once(
      [
        ask('t1', 'read_file', { path: '../secret.txt' }),
        ask('t2', 'read_file', { path: '/nowhere/secret.txt' }),
        ask('t3', 'read_file', { path: 'link/secret.txt' }),
        ask('t4', 'write_file', { path: '../made.txt', content: 'x' }),
        ask('t5', 'write_file', { path: 'link/made.txt', content: 'x' }),
        ask('t6', 'list_files', { glob: '../*' }),
        ask('t7', 'search', { pattern: 'secret', glob: 'link/*' }),
        ask('t8', 'read_file', { path: 'file-link' }),
      ],
      BUILTINS,
      { 'outside/secret.txt': 'secret', 'secret.txt': 'secret' },
    );
    fs.symlinkSync('../outside', path.join(talk.folder, 'talk/link'));
    fs.symlinkSync('../secret.txt', path.join(talk.folder, 'talk/file-link'));
    const results = await resultsOf(talk);
    expect(results.map(([status]) => status)).toEqual([
      ...['error', 'error', 'error', 'error', 'error', 'error', 'success', 'error'],
    ]);
    expect(results[0]?.[1]).toContain(outside);
    expect(results[2]?.[1]).toContain('leads outside the workspace through a link');
    expect(results[6]?.[1]).toBe('no matches\n');
    expect(JSON.stringify(results)).not.toContain('root:x');
    expect(talk.list('outside')).toEqual(['secret.txt']);
    expect(talk.has('made.txt')).toBe(false);
  });

  it('do not write to the files of the conversation itself', async () => {
    const talk = once(
      ['config/tools.yaml', 'templates/base_prompt.txt', 'state/x.json', 'sessions/x', '.orchestrate/x'].map(
        (place, index) => ask(`t${index}`, 'write_file', { path: place, content: 'mine' }),
      ),
      BUILTINS,
    );
    const before = talk.read('talk/config/tools.yaml');
    for (const result of await resultsOf(talk))
      expect(result).toEqual(['error', expect.stringContaining('belongs to the conversation itself')]);
    expect(talk.read('talk/config/tools.yaml')).toBe(before);
    expect(talk.has('talk/templates')).toBe(false);
  });

  it('work in the root of the workflow, which may be outside the workspace folder', async () => {
    const talk = new Talk({
      says: [
        [
          ask('t1', 'read_file', { path: 'code.txt' }),
          ask('t2', 'run_command', { argv: ['pwd'] }),
          ask('t3', 'write_file', { path: 'talk/config/tools.yaml', content: 'mine' }),
          ask('t4', 'write_file', { path: '.orchestrate/runs/answer.json', content: 'mine' }),
        ],
        [text('Done.')],
      ],
      tools: BUILTINS,
      workflow: { root: '..' },
      files: { 'code.txt': 'code' },
    });
    expect(await resultsOf(talk)).toEqual([
      ['success', 'code'],
      ['success', `${talk.folder}\n`],
      ['error', expect.stringContaining('belongs to the conversation itself')],
      ['error', expect.stringContaining('belongs to the conversation itself')],
    ]);
  });

  it('report a missing or binary file, a folder, and a bad pattern', async () => {
    const talk = once(
      [
        ask('t1', 'read_file', { path: 'missing.txt' }),
        ask('t2', 'read_file', { path: 'binary' }),
        ask('t3', 'read_file', { path: 'config' }),
        ask('t4', 'write_file', { path: 'config', content: '' }),
        ask('t5', 'search', { pattern: '(' }),
      ],
      BUILTINS,
      { 'talk/binary': 'a\0b' },
    );
    const results = await resultsOf(talk);
    expect(results.every(([status]) => status === 'error')).toBe(true);
    expect(results[0]?.[1]).toBe('cannot read `missing.txt`: no such file or folder (ENOENT)\n');
    expect(results[1]?.[1]).toContain('is not a text file');
    expect(results[2]?.[1]).toContain('is a folder');
    expect(results[4]?.[1]).toContain('`pattern`: ');
  });

  it('give up on a regular expression that never finishes', async () => {
    const talk = once(
      [ask('t1', 'search', { pattern: '^(a+)+$', glob: 'long.txt' })],
      [{ name: 'search', builtin: 'search', timeout_sec: 0.3 }],
      { 'talk/long.txt': `${'a'.repeat(50)}!\n` },
    );
    expect(await resultsOf(talk)).toEqual([['timeout', expect.stringContaining('timed out after 0.3 s')]]);
  });

  it('do not block the program while a regular expression runs', async () => {
    const talk = once(
      [ask('t1', 'search', { pattern: '^(a+)+$', glob: 'long.txt' })],
      [{ name: 'search', builtin: 'search', timeout_sec: 3600 }],
      { 'talk/long.txt': `${'a'.repeat(50)}!\n` },
    );
    const { child, ended } = talk.startConverse(['run', 'talk']);
    const isSearching = () =>
      talk.runs().length > 0 &&
      talk.journal().some(({ type, key }) => type === 'step-started' && key === '1/t1/run');
    await until(isSearching);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ exitCode: 130 });
  });

  it('refuse a glob that would take forever', async () => {
    const talk = once(
      [
        ask('t1', 'list_files', { glob: '{'.repeat(100_000) }),
        ask('t2', 'search', { pattern: 'a', glob: '{a,b}'.repeat(20_000) }),
        ask('t3', 'list_files', { glob: '*.txt' }),
      ],
      BUILTINS,
    );
    expect(await resultsOf(talk)).toEqual([
      ['error', `the path \`${'{'.repeat(100)}…\` nests braces more than 100 deep\n`],
      ['error', `the path \`${'{a,b}'.repeat(20)}…\` has more than 1000 alternatives in its braces\n`],
      ['success', 'a.txt\n'],
    ]);
  });
});
